"""Fill the templates of prompts with their material.

What is quoted comes in part from web pages: it stands between boundary lines that it cannot
contain, and templates are filled in one pass. A frame only tells a model what is data; that it
obeys nothing in there is ensured by checking its answer.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")  # "{{session}}" of a template
_MAX_LABEL = 80  # characters of a project's name; it stands outside the frame
_MAX_REASONS = 20  # refusals that are repeated; a model that earned more starts better anew


def build_boundary(*material: str) -> str:
    """Give a boundary for this material: the same for the same, and not to be found in it.

    It is a hash of the material; to contain it, a text would have to be found that holds its own
    hash.
    """
    data = "\0".join(material).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:32]


def build_flush_prompt(
    template: str, labels: Mapping[str, str], *, session: str, known: str, judging: str = ""
) -> str:
    """Ask for the entry of one chunk of a session's record.

    `labels` are project, branch, day, part and parts, which stand outside the frame; `known` is
    what may be named by id, `judging` asks about rules as well (see `build_judging_prompt`).
    """
    # a label is one short line: a folder can be called anything
    values = {
        name: " ".join(re.sub(r"[^\w./@ -]", " ", value).split())[:_MAX_LABEL] or "unknown"
        for name, value in labels.items()
    }
    boundary = build_boundary(session, judging, known)
    values |= {"boundary": boundary, "session": session, "known": known}
    return fill_template(template, values | {"judging": judging and f"\n{judging.strip()}\n"})


def build_judging_prompt(template: str, rules: Mapping[str, str]) -> str:
    """Ask how the rules (id to text) did in the session, "" without rules."""
    lines = (f"{name}: {' '.join(text.split())}" for name, text in rules.items())
    return fill_template(template, {"rules": "\n".join(lines)}) if rules else ""


def build_compile_prompt(  # noqa: PLR0913 - each a part of the prompt, by name
    template: str,
    *,
    schema: str,
    entries: str,
    articles: str,
    pages: str,
    day: str,
    today: str,
    refusals: Sequence[str] = (),
    refused: str = "",
) -> str:
    """Ask for the patch of one day: `schema` is the region of AGENTS.md, the rest Markdown.

    `pages` lists what other pages there are; `refusals` say what of an earlier answer was refused
    and why, `refused` is the JSON of it.
    """
    reasons = "".join(f"\n- {' '.join(reason.split())}" for reason in refusals[:_MAX_REASONS])
    introduction = "\nParts of an earlier answer were refused. Give only those again, repaired:"
    frame = build_boundary(entries, articles, pages, *filter(None, [refused]))
    parts = f"\n\n<<< {frame} refused\n{refused}\n>>> {frame}" if refused else ""
    values = {
        "day": day,
        "today": today,
        "pages": pages.strip() or "(none)",
        "schema": schema.strip(),
        "entries": entries.strip(),
        "articles": articles.strip() or "(none near these entries)",
        "boundary": frame,
        "refusals": reasons and introduction + reasons + parts,
    }
    return fill_template(template, values)


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Replace each `{{name}}` by its value, once: what a value holds is not looked at again."""
    return _PLACE.sub(lambda match: values[match[1]], template)
