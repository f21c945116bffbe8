"""The invented sessions that Memoria ships -> the files of scripts/memoria/samples.

Whoever has no session of Claude Code yet gets these from `memoria start`, so that there is
something to look at. The sessions stand in sample_sessions/, told as conversations; all of it is
made up. The files are generated, never edited: tests/test_samples.py compares them.

    python bench/samples.py [--into FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# run by path, a script finds its neighbours so
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.sample_sessions import (
    shop_1_idempotency,
    shop_2_migration,
    shop_3_webhooks,
    shop_4_sessions,
    shop_5_port,
    shop_6_backfill,
    shop_7_storm,
    shop_8_settings,
    shop_9_refunds,
    trail_1_config,
    trail_2_elevation,
    trail_3_login,
    trail_4_release,
)
from bench.sample_sessions.client import lines

SHIPPED = Path(__file__).resolve().parents[1] / "scripts" / "memoria" / "samples"
SESSIONS = (
    shop_1_idempotency.SESSION,
    shop_2_migration.SESSION,
    trail_1_config.SESSION,
    shop_3_webhooks.SESSION,
    trail_2_elevation.SESSION,
    shop_4_sessions.SESSION,
    shop_5_port.SESSION,
    trail_3_login.SESSION,
    shop_6_backfill.SESSION,
    shop_7_storm.SESSION,
    trail_4_release.SESSION,
    shop_8_settings.SESSION,
    shop_9_refunds.SESSION,
)


def files() -> dict[str, bytes]:
    """Give the content of each file by its path under the folder of projects."""
    return {session.path: lines(session) for session in SESSIONS}


def write(folder: Path) -> None:
    """Write the files there, and remove the .jsonl files that no session makes any more."""
    made = files()
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for path in folder.rglob("*.jsonl"):
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()


def main() -> None:
    """Write the samples, into the package or elsewhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=SHIPPED, help="the folder to write into")
    folder = parser.parse_args().into
    write(folder)
    total = sum(len(content) for content in files().values())
    print(f"{len(SESSIONS)} sessions, {total / 1000:.0f} kB in {folder}")


if __name__ == "__main__":
    main()
