"""The sample sessions -> docs/vault.png, the picture of a vault.

It is made of what the first command makes on a machine without sessions, and shows files, a note
and the graph of its links as any Markdown program does; it is no screenshot of Obsidian.

    python bench/pictures.py            (needs Chromium)
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "programs"))

from obsidian import Opened  # noqa: E402 - the path above comes first

NOTE = "knowledge/concepts/stop-double-charges-with-idempotency-keys.md"
CATALOGS = {"HOME.md", "knowledge/index.md", "knowledge/log.md", "daily/_TEMPLATE.md"}
SIZE = 380  # pixels of the graph's side
TURNS = 300  # of the layout: it no longer moves
COLOURS = {
    "daily": "#8d99a6",
    "concepts": "#2a6fb0",
    "connections": "#7b4fa3",
    "projects": "#2a8a4a",
    "rules": "#b0532a",
}
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; display: flex; font: 13px/1.45 system-ui, sans-serif; color: #222;
  width: 1280px; height: {height}px; overflow: hidden; background: #fff }}
nav {{ width: 250px; padding: 14px; background: #f4f5f6; border-right: 1px solid #ddd }}
nav div {{ white-space: nowrap; overflow: hidden; text-overflow: ellipsis; color: #555 }}
nav b {{ display: block; margin-top: 6px; color: #222 }}
nav .open {{ color: #fff; background: #2a6fb0; border-radius: 3px; padding: 0 4px }}
main {{ width: 560px; padding: 4px 26px }} h1 {{ font-size: 21px; margin: 10px 0 }}
h2 {{ font-size: 15px; margin: 14px 0 4px }} p, ul {{ margin: 4px 0 }} ul {{ padding-left: 18px }}
code {{ background: #f0f1f2; padding: 0 3px; border-radius: 3px }} a {{ color: #2a6fb0 }}
aside {{ width: 390px; border-left: 1px solid #ddd; padding: 14px }}
dl {{ background: #f4f5f6; margin: 0; padding: 6px 10px; border-radius: 4px; font-size: 12px }}
dt {{ float: left; width: 80px; color: #777 }} dd {{ margin: 0 0 0 84px }}
</style><nav>{files}</nav><main>{note}</main><aside>{graph}</aside>"""


def main() -> None:
    """Make a vault of the samples, and take its picture."""
    with tempfile.TemporaryDirectory() as folder:
        home, vault = Path(folder) / "home", Path(folder) / "vault"
        home.mkdir()
        memoria(home, "demo", "--vault", str(vault), "--quiet")
        page = Path(folder) / "vault.html"
        page.write_text(drawn(vault), encoding="utf-8")
        picture = f"--screenshot={ROOT / 'docs' / 'vault.png'}"
        options = ("--headless", "--hide-scrollbars", "--window-size=1280,640", picture)
        subprocess.run(["chromium", *options, f"file://{page}"], check=True)


def memoria(home: Path, *arguments: str) -> None:
    """Run a verb as a person would."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "TZ": "UTC"}
    environment |= {"PYTHONPATH": str(ROOT / "scripts"), "MEMORIA_DISABLE": "1"}
    command = [sys.executable, "-m", "memoria", *arguments]
    subprocess.run(command, check=True, env=environment, cwd=home, capture_output=True)


def drawn(vault: Path) -> str:
    """Give the page that shows a vault: its files, a note, the graph of its links."""
    paths = [vault / "HOME.md", *vault.glob("daily/*.md"), *vault.glob("knowledge/**/*.md")]
    notes = {path.relative_to(vault).as_posix(): path.read_text("utf-8") for path in sorted(paths)}
    opened = Opened(notes)
    note = rendered(opened, NOTE)
    return PAGE.format(height=640, files=listed(notes), note=note, graph=graph(opened))


def listed(notes: dict[str, str]) -> str:
    """List the files under their folders."""
    rows, folder = [], None
    for name in sorted(notes, key=lambda name: (name.count("/"), name)):
        above, _, base = name.rpartition("/")
        if above != folder:
            folder = above
            rows.append(f"<b>{above or 'memoria'}</b>")
        mark = ' class="open"' if name == NOTE else ""
        rows.append(f"<div{mark}>{html.escape(base.removesuffix('.md'))}</div>")
    return "".join(rows)


def rendered(opened: Opened, name: str) -> str:
    """Render a note with its properties and its links."""
    body = re.sub(r"\A---\n.*?\n---\n", "", opened.notes[name], flags=re.DOTALL)
    body = re.sub(r"\[\[([^\]|]*)(?:\|([^\]]*))?\]\]", lambda m: f"[{m[2] or m[1]}](#)", body)
    shown = {key: opened.properties(name)[key] for key in ("tags", "sources", "created", "updated")}
    rows = (f"<dt>{key}</dt><dd>{html.escape(said(value))}</dd>" for key, value in shown.items())
    return f"<dl>{''.join(rows)}</dl>{MarkdownIt().render(body)}"


def said(value: object) -> str:
    """Give a property as a person reads it."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def graph(opened: Opened) -> str:
    """Draw the notes and the links between them."""
    names = sorted(opened.notes.keys() - CATALOGS)
    place = {name: at for at, name in enumerate(names)}
    edges = {
        (place[name], place[found])
        for name in names
        for target in opened.links(name)
        for found in opened.resolved(target)[:1]
        if found in place and found != name
    }
    at = laid_out(len(names), edges)
    lines = "".join(
        f'<line x1="{at[a][0]:.0f}" y1="{at[a][1]:.0f}" x2="{at[b][0]:.0f}" y2="{at[b][1]:.0f}"/>'
        for a, b in sorted(edges)
    )
    dots = "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{7 if name == NOTE else 4}" fill="{colour(name)}"/>'
        for name, (x, y) in zip(names, at, strict=True)
    )
    key = " &nbsp; ".join(
        f'<span style="color:{colour}">&#9679;</span> {name}' for name, colour in COLOURS.items()
    )
    style = 'stroke="#cfd4d9" stroke-width="1"'
    return f'<svg width="{SIZE}" height="{SIZE}"><g {style}>{lines}</g>{dots}</svg><p>{key}</p>'


def colour(name: str) -> str:
    """Colour a note by the folder it lies in."""
    return next(colour for part, colour in COLOURS.items() if f"{part}/" in name)


def laid_out(count: int, edges: set[tuple[int, int]]) -> np.ndarray:
    """Lay a graph out by springs (Fruchterman and Reingold, 1991), the same way each time."""
    at = np.random.default_rng(7).uniform(-1, 1, (count, 2))
    joined = np.zeros((count, count))
    for a, b in edges:
        joined[a, b] = joined[b, a] = 1
    ideal = 1.4 / np.sqrt(count)
    for turn in range(TURNS):
        apart = at[:, None] - at[None]
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (ideal**2 / far**2 - joined * far / ideal)[:, :, None] * apart
        move = force.sum(axis=1) - 0.3 * at  # a pull to the middle keeps loose notes in sight
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        at = at + move / length * np.minimum(length, 0.1 * (1 - turn / TURNS))
    low, high = at.min(axis=0), at.max(axis=0)
    placed: np.ndarray = 15 + (at - low) / (high - low) * (SIZE - 30)
    return placed


if __name__ == "__main__":
    main()
