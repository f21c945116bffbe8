"""Read the form that an engine fills in for a compile: its JSON schema, and the patch it holds.

What the values mean is checked later, against the vault (compile/patch.py); `key` and `check` are
no part of what a model has to give.
"""

from collections.abc import Mapping
from typing import Any

from memoria.compile.patch import (
    ArticleChange,
    Patch,
    PatchLine,
    RelatedArticle,
    RetiredLine,
    RuleProposal,
    Section,
)
from memoria.llm.forms import (
    CATEGORY,
    MOST_ITEMS,
    MOST_TEXT,
    STRING,
    STRINGS,
    TITLE,
    Form,
    array_schema,
    closed_object_schema,
)

# characters of a proposed check: what a person reads before they switch it on
_MAX_CHECK = 4_000
# a check is JSON in a text: its schema, four times the same part, would cost more than the answer
_RULE = closed_object_schema(text=STRING, category=CATEGORY, quote=STRING, entry=STRING)
_RULE["properties"] = {**_RULE["properties"], "check": STRING}
COMPILE_SCHEMA: Mapping[str, Any] = closed_object_schema(
    articles=array_schema(
        kind=STRING,
        slug=STRING,
        title=STRING,
        lead=STRING,
        sections=array_schema(
            heading=STRING,
            prose=STRING,
            lines=array_schema(text=STRING, entry=STRING, replaces=STRING),
        ),
        retire=array_schema(line=STRING, entry=STRING),
        entries=STRINGS,
        aliases=STRINGS,
        tags=STRINGS,
        related=array_schema(target=STRING, why=STRING),
        connects=STRINGS,
    ),
    rules={"type": "array", "items": _RULE},
)


def parse_patch(value: object) -> Patch:
    """Read the answer to a compile; what it means is checked later, against the vault.

    Raises BadReply with the place and the reason.
    """
    form = Form(value)
    rules = tuple(
        RuleProposal(
            item.line("text", MOST_TEXT),
            item.category(),
            item.line("quote", MOST_TEXT),
            item.line("entry", TITLE),
            item.data("check", _MAX_CHECK),
        )
        for item in form.items("rules", MOST_ITEMS)
    )
    return Patch(tuple(map(_parse_article, form.items("articles", MOST_ITEMS))), rules)


def _parse_article(form: Form) -> ArticleChange:
    # a model says what it retires; the Offline engine's patch holds what was retired
    fields = [name for name in ("retire", "retired") if form.has(name)]
    retired = [item for name in fields for item in form.items(name, MOST_ITEMS)]
    return ArticleChange(
        kind=form.line("kind", TITLE),
        slug=form.line("slug", TITLE),
        title=form.line("title", MOST_TEXT),
        lead=form.text("lead"),
        sections=tuple(map(_parse_section, form.items("sections", MOST_ITEMS))),
        entries=form.names("entries"),
        aliases=form.names("aliases"),
        tags=form.names("tags"),
        related=tuple(
            # a model writes the kind before the path as often as not
            RelatedArticle(
                item.line("target", MOST_TEXT).rpartition(" ")[2], item.line("why", MOST_TEXT)
            )
            for item in form.items("related", MOST_ITEMS)
        ),
        connects=form.names("connects"),
        key=_read_optional_line(form, "key"),
        retired=tuple(
            RetiredLine(
                item.line("line", TITLE), item.line("entry", TITLE), _read_optional_line(item, "by")
            )
            for item in retired
        ),
    )


def _parse_section(form: Form) -> Section:
    lines = tuple(
        # it names a line as the record has its ids, "3fa9c|"
        PatchLine(
            item.line("text", MOST_TEXT),
            item.line("entry", TITLE),
            _read_optional_line(item, "replaces").strip(" |"),
        )
        for item in form.items("lines", MOST_ITEMS)
    )
    return Section(form.line("heading", TITLE), form.text("prose"), lines)


def _read_optional_line(form: Form, name: str) -> str:
    return form.line(name, MOST_TEXT) if form.has(name) else ""
