import pytest
from cases import cased
from hypothesis import given
from notes import AGENTS, SCHEMA, hostile, with_recipes

from memoria.errors import VaultError
from memoria.vault.schema import BEGIN, END, parse_schema


def with_row(row, before="| qa | `qa/`"):
    at = AGENTS.index(before)
    return f"{AGENTS[:at]}{row}\n{AGENTS[at:]}"


def test_the_repository_s_own_file():
    names = [kind.name for kind in SCHEMA.kinds]
    assert names[:4] == ["concept", "connection", "qa", "rule"]
    concept = SCHEMA.kind("concept")
    assert concept.folder == "concepts"
    assert concept.keys == ("title", "aliases", "tags", "sources", "created", "updated")
    assert concept.sections[0] == "Key Points"
    assert concept.sections[-2:] == ("Related Concepts", "Sources")
    assert concept.path("session-tokens") == "concepts/session-tokens"
    proposed = {kind.name for kind in SCHEMA.kinds if kind.proposed}
    assert proposed == set(names) - {"qa", "rule"}


def test_a_row_more_is_a_kind_more():
    recipe = with_recipes().kind("recipe")
    assert (recipe.folder, recipe.keys) == ("recipes", ("title", "servings"))
    assert recipe.sections == ("Ingredients", "Steps", "Sources")
    assert recipe.proposed
    assert with_recipes().kind_of("recipes/bread") == recipe
    assert len(with_recipes().kinds) == len(SCHEMA.kinds) + 1


@cased()
def test_a_row_that_cannot_be_read_is_refused_with_the_reason(row, told):
    with pytest.raises(VaultError) as caught:
        parse_schema(with_row(row))
    message = str(caught.value)
    assert message.startswith("AGENTS.md")
    assert told in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "text",
    [
        "",
        AGENTS.replace(BEGIN, ""),
        AGENTS.replace(END, ""),
        AGENTS.replace(BEGIN, "x").replace(END, BEGIN).replace("x\n", f"{END}\n", 1),
        f"Between {BEGIN} and {END}, as one line says.",
    ],
)
def test_without_a_region_it_says_so(text):
    with pytest.raises(VaultError, match="no region between"):
        parse_schema(text)


@given(hostile)
def test_any_text_is_read_or_refused(text):
    agents = f"{AGENTS[: AGENTS.index('| qa |')]}{text}\n{AGENTS[AGENTS.index('| qa |') :]}"
    for candidate in (text, agents):
        try:
            kinds = parse_schema(candidate).kinds
        except VaultError:
            continue
        assert all("/" not in kind.folder and kind.folder.isascii() for kind in kinds)


def test_a_row_below_the_table_counts_too():
    row = "| recipe | `recipes/` | title | Steps | compile |"
    text = AGENTS.replace(END, f"{row}\n\n{END}")
    assert parse_schema(text).kind("recipe")
