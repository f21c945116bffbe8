"""Score what the prompt hook tells: decisions whole, stale values, unrelated prompts.

python -m bench.delivery.run [--set pipeline|service|market] [--data FOLDER] [--show]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.delivery.vaults import Case, Vault, holds, own, rounds, shared


def main() -> None:
    """Ask all cases and all unrelated prompts, and print shares with their n."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder with projects/ and cases.jsonl")
    parser.add_argument("--set", default="", help="of the chats here: pipeline, service, market")
    parser.add_argument("--show", action="store_true", help="print what is told")
    options = parser.parse_args()
    data = shared(options.data) if options.data else own(options.set)
    whole: dict[str, list[bool]] = {"plain": [], "amended": []}
    literals, stale, absent, longest = [], 0, [], 0
    unrelated: list[bool] = []
    for number, (cases, without) in enumerate(rounds(data.cases)):
        with Vault(data, without) as vault:
            for case in cases:
                told = vault.told(case.prompt)
                kept = [holds(told, literal) for literal in case.literals]
                whole["amended" if case.stale else "plain"].append(all(kept))
                literals += kept
                stale += _is_stale(told, case)
                longest = max(longest, len(told))
                if options.show:
                    print(f"\n{case.name} {kept}\n{told}")
            if not number:
                unrelated = [_asked(vault, prompt, show=options.show) for prompt in data.unrelated]
            absent += [_without(vault, case) for case in cases]
    for kind, rows in whole.items():
        print(f"{kind}: all literals in {sum(rows)} of {len(rows)}")
    print(f"literals: {sum(literals)} of {len(literals)}; stale told as current: {stale}")
    print(f"unrelated told: {sum(unrelated)} of {len(unrelated)}; longest: {longest} characters")
    print(f"told something although the topic is not there: {sum(absent)} of {len(absent)}")


def _is_stale(told: str, case: Case) -> bool:
    """Whether a line tells a stale value as current, and none of the new ones."""
    return any(
        ", previously " not in line
        and any(holds(line, literal) for literal in case.stale_literals)
        and not any(holds(line, literal) for literal in case.literals)
        for line in told.splitlines()
    )


def _asked(vault: Vault, prompt: str, *, show: bool) -> bool:
    told = vault.told(prompt)
    if told and show:
        print(f"\nUNRELATED {prompt}\n{told}")
    return bool(told)


def _without(vault: Vault, case: Case) -> bool:
    vault.hide({case.session, case.stale})
    told = vault.told(case.prompt)
    vault.hide(set())
    return bool(told)


if __name__ == "__main__":
    main()
