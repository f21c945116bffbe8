"""What a usual call costs: `memoria cost` and the docs name the same figures."""

from pathlib import Path

from memoria.cli.evidence.cost import usual

COSTS = Path(__file__).parents[3] / "docs/reference/costs.md"


def test_the_docs_name_the_prices_that_the_program_prints():
    rows = [line for line in COSTS.read_text("utf-8").splitlines() if line.startswith("|")]
    for name, _, _, usd in usual():
        verb = name.partition(",")[0]
        (row,) = (line for line in rows if line.startswith(f"| {verb}") and "$" in line)
        assert f"${float(f'{usd:.1g}'):g} |" in row
