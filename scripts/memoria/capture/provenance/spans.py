"""What was said and read in a session, in the order of time, and who had it.

The trap: a person's prompt holds others' words, too, so what was pasted counts as read.
"""

from collections.abc import Iterator
from posixpath import join, normpath
from typing import NamedTuple

from memoria.agents.claude_code.user_words import (
    find_handover_line,
    list_utterances,
    own_words,
    parse_ask,
)
from memoria.agents.transcript import AssistantText, Call, Compaction, Steer, Transcript
from memoria.capture.extract.observing.commits import split_branch_name
from memoria.privacy.imperatives import gives_orders
from memoria.text.lazy_patterns import lazy_pattern
from memoria.text.unicode import has_hidden_run

# who had words: the user, the assistant, or one of the others, as the marks name them
USER, ASSISTANT = "user", "assistant"
PAGE, NETWORK, PASTED = "a web page", "a network command", "pasted text"
FILE, TOOL = "a file", "a tool"
OTHERS = (PAGE, NETWORK, FILE, TOOL, PASTED)
STRANGERS = frozenset({PAGE, NETWORK, PASTED})  # of these anybody can be the author
_FILE_KINDS = frozenset({"read", "search", "edit"})  # of calls
# what comes back are the agent's own words: its question with the label chosen, its plan
_REPLY_KINDS = frozenset({"question", "plan", "tasks"})
# what stands before a command: "; sudo", "bash -c '", "TZ=UTC", "/usr/bin/"
_COMMAND_START = (
    r"(?:^|[;&|(`\n]|\s-c\s+['\"])\s{0,8}"
    r"(?:(?:sudo|env|time|nohup|command|exec|xargs|timeout\s+\S{1,10}|-[\w-]{1,20}"
    r"|\w{1,40}=[^\s;&|]{0,200})\s+){0,4}(?:[\w.~-]{0,40}/){0,6}"
)
_OPTIONS = r"\s+(?:-[^\s;&|]{1,80}\s+(?:[^\s;&|-][^\s;&|]{0,80}\s+)?){0,4}"
# commands that bring what anybody may have written: "curl x", "gh pr view", an address. Names that
# are words elsewhere, too, count where a command begins
_NETWORK_COMMAND = lazy_pattern(
    r"(?i)\b(?:curl|wget|lynx|w3m|aria2c|yt-dlp|glab|invoke-webrequest|invoke-restmethod|iwr)\b"
    r"|\bgh\s+(?!(?:auth|config|alias|help|(?:pr|issue|repo|release|gist)\s+create)\b)[\w-]"
    rf"|\bgit{_OPTIONS}(?:(?:clone|fetch|pull|submodule|ls-remote|remote\s+(?:update|show))\b"
    r"|(?:show|log|diff|cat-file|grep|blame)\s[^;&|\n]{0,200}?"
    # what "origin/main.." has not
    r"(?:\bFETCH_HEAD\b|@\{u|\b(?:origin|upstream|remotes)/(?![^\s;&|]{0,200}\.\.)))"
    r"|\b(?:npm|pnpm|yarn|bun|cargo|gem|brew|apt|apt-cache|dnf|yum|pacman|apk|conda|poetry|uv|pipx?"
    rf"|pip3|composer|dotnet|nuget|helm|winget|choco|snap|flatpak){_OPTIONS}"
    r"(?:(?:npm|pip|index|package)\s+)?(?:view|info|show|search|audit|versions|download)\b"
    r"|\b(?:docker|podman|kubectl)\s+(?:[^\s;&|]{1,60}\s+){0,5}?(?:logs|search|exec|attach|describe)\b"
    rf"|{_COMMAND_START}(?:https?|xhs?|ssh|scp|sftp|rsync|ftp|nc|ncat|telnet|dig|nslookup|whois|hub"
    r"|psql|mysql|mariadb|mongosh|redis-cli|jira|acli|az|aws|gcloud|linear|heroku|irm)(?=\s)"
    r"|https?://"
)
# all that comes back when a pull request is opened: what names it are not others' words
_PULL_REQUEST_URL = lazy_pattern(
    r"https://[\w.-]{1,80}(?:/[\w.-]{1,80}){2,4}/(?:pull|merge_requests)/\d{1,7}"
)
_NAME_BORDER = lazy_pattern(r"[-_/]")
_MIN_BORDERS = 2  # of a branch's name: "main" and "lease-fix" are in no run of four words by chance
_WEB_TOOL = lazy_pattern(r"(?i)web|fetch|browser|search|http|\Amcp__")  # by its name


class Span(NamedTuple):
    """A text and who had it."""

    who: str
    text: str


def list_spans(transcript: Transcript) -> Iterator[Span]:
    """Give all that was said and read, in the order of time.

    A branch's name gives nobody its words where a tool prints it: a file may say them as well.
    """
    branches = {turn.branch: None for turn in transcript.turns}
    # whoever opens a pull request names its branch
    names = map(split_branch_name, branches)
    yield from (Span(TOOL, name) for name in names if gives_orders(name))
    printed = [name for name in branches if len(_NAME_BORDER.findall(name)) >= _MIN_BORDERS]
    for who, text in _list_all_spans(transcript):
        for name in printed if who in OTHERS else ():
            text = text.replace(name, " ")  # noqa: PLW2901 - one name after the other
        yield Span(who, text)


def _list_all_spans(transcript: Transcript) -> Iterator[Span]:
    texts: dict[int, list[str]] = {}
    for utterance in list_utterances(transcript):
        own = own_words(utterance) + find_handover_line(utterance)
        texts.setdefault(utterance.turn, []).append(own)
    if transcript.is_named:
        yield Span(USER, transcript.title)
    for number, turn in enumerate(transcript.turns):
        # the user's own words of a turn first, so that they are the user's; what is left was pasted
        yield from (Span(USER, text) for text in texts.get(number, ()))
        # a plan is the agent's, which the user let pass
        yield Span(ASSISTANT if parse_ask(turn.prompt).is_plan else PASTED, turn.prompt)
        for step in turn.steps:
            yield from _step_spans(step)
    for call in transcript.subagents:
        yield from _call_spans(call)


def _step_spans(step: object) -> Iterator[Span]:
    if isinstance(step, AssistantText):
        yield Span(ASSISTANT, step.text)
    elif isinstance(step, Steer):
        yield Span(PASTED, step.text)
    elif isinstance(step, Compaction):
        yield Span(TOOL, step.summary)
    elif isinstance(step, Call):
        yield from _call_spans(step)


def _call_spans(call: Call) -> Iterator[Span]:
    yield from (Span(ASSISTANT, text) for _, text in call.arguments)
    is_own = call.kind in _REPLY_KINDS or _is_pull_request_link(call)
    yield Span(ASSISTANT if is_own else find_result_source(call), call.result)


def _is_pull_request_link(call: Call) -> bool:
    return bool(_PULL_REQUEST_URL.fullmatch(call.result.strip()))


def find_result_source(call: Call) -> str:
    """Say what a call's result is: of a web page, the network, a file or a tool."""
    if call.kind == "web" or _WEB_TOOL.search(call.name):
        return PAGE
    if call.kind in _FILE_KINDS:
        return FILE
    return (
        NETWORK
        if _NETWORK_COMMAND.search(call.command) and not _is_pull_request_link(call)
        else TOOL
    )


def list_outside_sources(transcript: Transcript) -> tuple[str, ...]:
    """Name what of outside the project a session had read, in the order of time, each once."""
    speakers: dict[str, None] = {}
    for turn in transcript.turns:
        request = parse_ask(turn.prompt)
        if request.pasted or request.trace:
            speakers[PASTED] = None
        for call in turn.calls:
            if source := _find_outside_source(call, transcript.cwd):
                speakers[source] = None
    return tuple(speakers)


def list_texts_before_outside(transcript: Transcript) -> Iterator[str]:
    """Give what the agent said before the session first read something of outside the project."""
    for turn in transcript.turns:
        request = parse_ask(turn.prompt)
        if request.pasted or request.trace:
            return
        for step in turn.steps:
            if isinstance(step, Call) and _find_outside_source(step, transcript.cwd):
                return
            if isinstance(step, AssistantText):
                yield step.text


def _find_outside_source(call: Call, cwd: str) -> str:
    """Say what of outside a call brought, "" for what is the project's own."""
    source = find_result_source(call)
    if call.kind == "subagent":
        return "a subagent"
    if has_hidden_run(call.result):
        return "hidden text"
    path = call.path or call.argument("path")
    if source in STRANGERS:
        return source
    return "a file from elsewhere" if source == FILE and _is_outside_project(path, cwd) else ""


def _is_outside_project(path: str, cwd: str) -> bool:
    """Whether a path, also with dots or as Windows has it, leads out of the project."""
    names = (name.replace("\\", "/") for name in (cwd or "/", path))
    # on a drive nothing tells capitals from small letters
    base, whole = (name.lower() if name[1:2] == ":" else name for name in names)
    if not (whole.startswith("~") or whole[1:2] == ":"):
        whole = join(base, whole)
    return not f"{normpath(whole)}/".startswith(f"{normpath(base).rstrip('/')}/")
