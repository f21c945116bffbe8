"""Name the category of a heading, and of a statement of fact by what it is about.

Words are weighed, since no single one decides: a test is workflow where it is run and tool usage
where it is mocked.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import get_args

from memoria.text.lazy_patterns import lazy_pattern
from memoria.vault.entry import Category

CATEGORIES: tuple[Category, ...] = get_args(Category)
# "Tools", "tool-usages", "Domain knowledge": cases, marks and plurals aside
_NAMES: dict[str, Category] = {
    "architectural": "architectural", "architecture": "architectural",
    "workflow": "workflow", "work_flow": "workflow",
    "tool_usage": "tool_usage", "tool_use": "tool_usage", "tool": "tool_usage",
    "tooling": "tool_usage",
    "domain_knowledge": "domain_knowledge", "domain": "domain_knowledge",
}  # fmt: skip
_LONGEST_NAME = 60  # characters of a category's name that a person made up


@lru_cache(maxsize=1_000)  # a notebook has a few dozen headings, each thousands of times
def normalise_category(heading: str) -> str:
    """Name a heading's category: one of the four, else its words joined by "_"."""
    words = re.findall(r"[^\W_]+", heading.casefold())
    name = "_".join(words)[:_LONGEST_NAME].strip("_")
    single = "_".join(word.removesuffix("s") for word in words)
    return _NAMES.get(name) or _NAMES.get(single) or name


def find_category(name: str) -> Category | None:
    """Give the category of that name, None where it is none of the four."""
    return next((category for category in CATEGORIES if category == name), None)


def format_by_category(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Write lines, each with its category, as lists below the headings of these."""
    pairs = list(lines)
    for category in CATEGORIES:
        if bullets := [f"- {line}" for line, name in pairs if name == category]:
            yield f"### {category.replace('_', ' ').title()}\n\n" + "\n".join(bullets)


# words that speak for a category, with the weight of each
_Sign = tuple[Category, float, re.Pattern[str]]


def _build_signs(category: Category, *weighed: tuple[float, str]) -> list[_Sign]:
    flags = re.IGNORECASE | re.VERBOSE
    return [(category, weight, lazy_pattern(pattern, flags)) for weight, pattern in weighed]


_SIGNS: tuple[_Sign, ...] = (
    *_build_signs(
        "workflow",
        # a fact may speak of commits because the product does; an order speaks of the work
        (0.9, r"""\b(?:commit\w*|push(?:es|ed|ing)?|merg(?:e|es|ed|ing)|rebas\w+|squash\w*
            |branch(?:es)?|pull\ requests?|prs?|review\w*|changelog|deploy\w*|roll(?:out|back)
            |roll(?:ed|ing)?\ back|releases?|hotfix|tickets?|pairing|on-?call|checklists?|pipeline
            |ci)\b(?!-)"""),  # the steps of a change: "merge", "roll back"
        (1.5, r"""\b(?:run|ran|running|execute\w*|write|writing|wrote|start\w*)\ (?:\w+\ ){0,3}
            (?:tests?|test\ suite|suite|checks?|linter?|migrations?|benchmarks?)\b"""),  # running
        (1.2, r"""\b(?:after|before)\ (?:every|each|any|you|\w+ing|the\ next)\b|\bby\ hand\b
            |\bfirst\W*$|^first\b|\bstep\ by\ step\b|\bone\ (?:change|step|thing)\ at\ a\ time\b
            |\bat\ the\ end\b|\b(?:small(?:er)?|separate)\ (?:steps|commits|prs?)\b
            |\b(?:nobody|everyone|the\ team|support|someone|yourself)\b|\btime-?box\w*"""),  # when
        (1.2, r"""^(?:(?:always|never|don't|do\ not|please|only)\ )?(?:keep|do|check|look|read|write
            |make\ sure|talk|tell|ask|stop|run|rebase|merge|commit|push|pull|review|test|deploy
            |release|branch|plan|reproduce|verify|document|estimate)\b"""),  # order: "never push"
        (0.7, r"""\b(?:we|i|you|reproduc\w+|verif(?:y|ied)|ask(?:s|ed|ing)?|plan(?:ned)?
            |document(?:s|ed|ing)?|confirm\w*|tests?|migrations?|staging|tdd)\b"""),
    ),
    *_build_signs(
        "tool_usage",
        (1.7, r"""`(?:git|gh|npm|pnpm|yarn|npx|uv|uvx|pip|poetry|cargo|go|make|docker|kubectl|helm
            |terraform|curl|jq|rg|grep|sed|psql|pytest|ruff|mypy|eslint|tsc|alembic|brew|ssh|vim
            |bash|python3?|node|bun|deno|gradle|mvn|mise|just)\ [^`]+`"""),  # "`git push`"
        (1.4, r"`?(?<![\w-])--?[a-z][\w-]+=?\S*`?|\bcommand\ line\b|\bshortcuts?\b"),
        (1.3, r"""(?<![\w./-])(?:git|gh|npm|pnpm|yarn|npx|uv|pip|poetry|cargo|docker|compose|kubectl
            |curl|jq|ripgrep|rg|grep|psql|pytest|ruff|mypy|eslint|prettier|tsc|alembic|homebrew
            |webpack|vite|jest|vitest|playwright|makefile|debugger|profiler|formatter|linter|devtools
            |pre-commit|editor|ide|obsidian|vs\ code|gdb|claude|copilot|jwt\.io|console\.log
            |print\ statements?)(?![\w/-])"""),  # a tool's name: not "git/" or "my-git"
        (1.0, r"""\b(?:fixtures?|mock(?:s|ed|ing)?|stubs?|monkeypatch\w*|context\ manager|snapshots?
            |breakpoints?|cli|tools?|plugins?|extensions?|scripts?|commands?|options?|flags?|lockfile
            |venv|containers?|images?)\b"""),  # the things of tools
        (0.7, r"\b(?:use|set)\ (?:the\ )?`"),
    ),
    *_build_signs(
        "domain_knowledge",
        (1.9, r"""\bdeprecat\w+|\breturns?\ (?:\w+\ ){0,2}[1-5]\d\d\b|\bstatus\ [1-5]\d\d\b
            |\bsince\ (?:version\ )?v?\d|\b(?:python|node|go|java|postgres\w*|rust|swift|ruby|php
            # of a version or a status: "Python 3.12", "returns 404"
            |django|react|ios|android|macos|windows|linux|chrome|safari|firefox)\ ?v?\d[\d.]*\b"""),
        (1.3, r"""\b(?:utc|time\ ?zones?|daylight|iso\ 8601|rfc\ ?\d*|unicode|utf-8|locale
            |currenc\w+|cents?|vat|tax\w*|invoices?|gdpr|customers?|users?|people|orders|suppliers?|patients?
            |legal|law|regulat\w+|license[sd]?|vendor|third-?party|spec(?:ification)?s?|standards?
            |protocol|https?|tls|dns|tcp|oauth|jwt|saml|smtp|csv|pdf|webhooks?)\b"""),  # the world
        (1.2, r"""\b(?:postgres\w*|mysql|sqlite|redis|kafka|stripe|paypal|supabase|firebase|aws|s3
            |gcp|azure|github|gitlab|slack|macos|windows|linux|safari|chrome|ios|android|browsers?
            # others' products and languages, and a sentence that begins with one
            |operating\ systems?|kernel|python|javascript|typescript|golang|java|rust|sql)\b"""),
        (1.4, r"""^(?:in\ |on\ |an?\ |the\ )?(?-i:Go|C|R|Rust|Java|Python|JavaScript|TypeScript|Node
            |Postgres\w*|MySQL|SQLite|Redis|Kafka|Stripe|GitHub|GitLab|Slack|Safari|Chrome|Firefox
            |Windows|macOS|Linux|iOS|Android|[A-Z]{3,5})\b"""),
        (0.9, r"""\b(?:means|stands\ for|(?:is|are)\ called|counts?\ as|by\ default|at\ most
            |per\ (?:second|minute|hour|day|month)|limit(?:s|ed)?|cannot|can't|ignores?|silently
            |allows?|requires?|expires?|lasts?|always|never\ \w+s)\b"""),  # how things are
    ),
    *_build_signs(
        "architectural",
        (1.5, r"""\b(?:boundar(?:y|ies)|layer(?:s|ed)?|modules?|interfaces?|abstractions?|decoupl\w+
            |coupling|inject(?:s|ed|ion)?|immutab\w+|frozen|dataclass\w*|single\ source\ of\ truth
            |separation|architectur\w+|components?|middleware|adapters?|state\ machine|event-?driven
            |idempoten\w+|schemas?|constraints?|(?:primary|foreign)\ key|inheritance|composition
            |design)\b"""),  # the build of a program, below its parts and its changes
        (1.1, r"""\b(?:tables?|columns?|rows?|indexe?s?|transactions?|cach(?:es?|ed|ing)|queues?
            |workers?|retr(?:y|ies)|locks?|locking|race|atomic\w*|handlers?|endpoints?|routes?|services?
            |clients?|models?|class(?:es)?|helpers?|functions?|methods?|fields?|parameters?
            |arguments?|types?|typed|enums?|config(?:uration)?\ (?:file|loading)|settings
            |error\ handling|exceptions?
            |validat\w+|pars(?:es?|er|ing)|serializ\w+|state|sessions?|stor(?:es?|ed|age)
            |persist\w*|factory|callbacks?|streams?|async|concurren\w+)\b"""),
        (0.9, r"""\b(?:instead\ of|rather\ than|(?:is|are)\ now|now\ (?:uses?|takes?|reads?|writes?
            |returns?|keeps?)|split\ into|extract(?:ed)?|moved|reus(?:e|ed|able)|generic|kept
            |consolidat\w+|separate(?:d|ly)?|shared)\b"""),
        (0.5, r"`[^`\s]*[\w\])]\(?\)?`|\b(?-i:[a-z]+_[a-z_]+|[a-z]+[A-Z]\w+)\b"),
    ),
)  # fmt: skip
_MAX_SIGNS = 2  # of one pattern that count: a long sentence repeats itself
_CODE = re.compile(r"`[^`\n]{1,200}`")  # inline code
_COMMAND = re.compile(r"`\$?\s?[a-z][\w.-]*(?:\ [^`]+)`")  # "`$ uv sync`"; not "`max_age`"
_COMMIT_KIND = re.compile(r"^(?:feat|fix|refactor|perf|docs?|tests?|chore|style|build|ci|revert)\b")


def categorise(text: str, default: Category = "domain_knowledge") -> Category:
    """Say what a line is about; `default` where no word tells."""
    text_without_code = _CODE.sub(_mask_code, _COMMIT_KIND.sub("", text))
    scores = dict.fromkeys(CATEGORIES, 0.0)
    for category, weight, pattern in _SIGNS:
        signs = {match.lower() for match in pattern.findall(text_without_code)}
        scores[category] += weight * min(len(signs), _MAX_SIGNS)
    best = max(scores.values())
    if not best:
        return default
    return default if scores[default] == best else max(scores, key=lambda name: scores[name])


def _mask_code(code: re.Match[str]) -> str:
    """Keep a command as it is; of other code only that it is there, and a library's bare name."""
    text = code[0]
    if _COMMAND.fullmatch(text):
        return text
    inner = text.strip("`")
    return inner if re.fullmatch(r"[\w.-]+", inner) else "`x`"
