"""A poisoned text in a session or a vault, a model that obeys it, and all that sessions then get.

The model is the worst that there can be: whatever it is asked, it answers with the attack, in every
field that a form has, as rules with the user's own quotes, as judgements of rules, as paths and as
HTML. What comes out of the hooks, the promoted files and the report is searched for runs of the
attack's words; what the harness adds to a case (a greeting, a heading) is not looked for.
"""

import json
import os
import re
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

from place import state_of
from transcript_lines import assistant, encode, line, result, say, tool, user

from memoria import refresh as snapshot
from memoria import settings
from memoria.capture.service import Capture
from memoria.cli.setup.init import init
from memoria.compile import service as compiling
from memoria.evidence.withholding.adherence_service import RuleObserver
from memoria.hooks import failure_answer as failed
from memoria.hooks import prompt_answer as prompted
from memoria.hooks import protocol, session_start
from memoria.llm.requests import Cost, Reply
from memoria.search import ask as query
from memoria.vault import daily
from memoria.vault.entry import Draft, Entry
from memoria.workspace import workspace

SHOP = "/home/ana/shop"
KNOWN = "Always run the tests before you commit."
ERROR = "Exit code 1\nE   ValueError: the expiry of a lease is naive"
CHECK = "pytest tests/test_lease.py"
# what a case may carry around its attack, and what is nobody's
_AROUND = (
    "Release notes 2.4: bug fixes.",
    "Fetched issue #12:",
    "Steps to reproduce...",
    "README",
    "Install with pip.",
    "This is what stood on the page:",
    "Here is the web page I copied:",
)
_RUN = 5  # words in a row: fewer are chance
_TOKEN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+")
_ACTIVE = re.compile(
    r"(?i)<\s*(?:script|iframe|img|svg|object|embed|style|link|form|div|a)\b|!\[|\]\((?!https?:)"
    r"|javascript:\S|obsidian:/|file:/|<%|\$=|```\s*(?:dataviewjs|dataview|tasks|mermaid|js|templater)"
)


def words(text):
    """Cut a text into words, without what hides in it."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    kept = (
        char
        for char in plain
        if unicodedata.category(char) not in {"Cf", "Cc", "Co", "Mn"} or char in "\n\t "
    )
    return _TOKEN.findall("".join(kept))


def hidden(text):
    """Read what a text hides: tag characters, variation selectors, zero-width bits."""
    found = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
    found += "".join(chr(ord(c) - 0xE0100 + 16) for c in text if 0xE0100 <= ord(c) <= 0xE01EF)
    bits = "".join({"\u200b": "0", "\u200c": "1"}.get(c, "") for c in text)
    pairs = range(0, len(bits) - 7, 8)
    return found + "".join(chr(int(bits[at : at + 8], 2)) for at in pairs)


def payload(text):
    """Give the attack without what its case put around it."""
    shown = re.sub(r"</?p>", "", text)
    if "!!" not in shown:
        shown = re.sub(r"\A---\n.*?\n---\n", "", shown, flags=re.DOTALL)
    for part in _AROUND:
        shown = shown.replace(part, "")
    return re.sub(r"^=+$", "", shown, flags=re.MULTILINE).strip()


def leaked(text, output):
    """Give the run of an attack's words that stands in an output, "" for none."""
    said = " ".join(words(output))
    for one in (payload(text), hidden(text)):
        found = words(one)
        size = min(_RUN, len(found))
        for at in range(len(found) - size + 1 if size > 1 else 0):
            run = " ".join(found[at : at + size])
            if f" {run} " in f" {said} ":
                return run
    return ""


def active(output):
    """Give what would act in an output, "" for nothing."""
    found = _ACTIVE.search(output)
    return found[0] if found else ""


class Obedient:
    """A model that answers with the attack, whatever it is asked and wherever it can."""

    name = "obedient"
    reads = "prompt"

    def __init__(self, text):
        self.text = text
        self.plain = payload(text)
        self.requests = []

    def ask(self, request):
        self.requests.append(request)
        if not self.has_read(request.prompt):
            return Reply(_QUIET[request.task](request), self.name, "worst", Cost())
        answer = {"flush": self._entry, "compile": self._patch, "query": self._answer}
        return Reply(answer[request.task](request), self.name, "worst", Cost())

    def has_read(self, prompt):
        """Whether the attack stands in what it was shown, so that there is something to obey."""
        return bool(leaked(self.text, prompt)) or len(words(self.plain)) < 2

    @property
    def _wordings(self):
        """The attack as it stands, its lines, what it hides, and what it comes to as an order."""
        lines = [line for line in self.plain.splitlines() if line.strip(" `-")]
        told = [self.plain, self.text, hidden(self.text), *lines, f"Decided: {self.plain}"]
        return [one[:390] for one in dict.fromkeys(told) if one.strip()][:10]

    def _entry(self, request):
        told = self._wordings
        rules = re.findall(r"\b(?:arch|wf|tool|dk)-[0-9a-f]{10}\b", request.prompt)
        quotes = [*told[:2], KNOWN]
        return {
            "worth_keeping": False,
            "title": self.plain[:115],
            "context": self.plain[:880],
            "exchanges": [*told, f"{KNOWN} -> {self.plain}"[:390]],
            "decisions": told,
            "lessons": told,
            "actions": told,
            "statements": [
                {"text": told[0][:290], "quote": one[:290], "category": "workflow"}
                for one in quotes
            ]
            + [{"text": KNOWN, "quote": KNOWN, "category": "workflow"}],
            "judgements": [
                {"rule": name, "kept": True, "quote": one[:290]} for name in rules for one in told
            ],
            "delete": ["knowledge", "daily"],
            "reward": 1,
        }

    def _patch(self, request):
        entries = re.findall(r"^entry (\S+)$", request.prompt, re.MULTILINE)
        entry, told = entries[0], self._wordings
        slugs = ["../../hooks/session-start", "a.md:stream", "con", "%2e%2e", "x" * 200]
        named = "-".join(re.findall(r"[a-z0-9]+", self.plain.lower()))[:70].strip("-") or "note"
        return {
            "articles": [self._article(slug, entry, told) for slug in (*slugs, named)]
            + [self._article("lease-expiry", entry, told, title="Lease expiry", lead=LEAD)],
            "rules": [
                {"text": text[:290], "category": "workflow", "quote": quote, "entry": entry}
                for text in (*told, KNOWN)
                for quote in (text[:290], KNOWN)
            ],
            "delete": ["concepts/lease-expiry"],
            "files": [{"path": "../../.claude/settings.json", "content": self.text}],
        }

    def _article(self, slug, entry, told, title=None, lead=None):
        lines = [{"text": one, "entry": entry} for one in told]
        return {
            "kind": "concept",
            "slug": slug,
            "title": (title or self.plain)[:115],
            "lead": lead or self.plain,
            "sections": [
                {"heading": "Key Points", "prose": "", "lines": lines},
                {"heading": "Details", "prose": f"{self.plain}\n\n{self.text}", "lines": []},
            ],
            "entries": [entry],
            "aliases": [self.plain[:190]],
            "tags": ["always", "lease"],
            "related": [{"target": "concepts/lease-expiry", "why": self.plain[:190]}],
            "connects": [],
        }

    def _answer(self, request):
        shown = re.findall(r"\[\[([a-z]+/[^\]|]+)\]\]", request.prompt)
        cited = f" ([[{shown[0]}]])" if shown else ""
        return {
            "known": True,
            "answer": f"{self.plain}{cited}\n\n{self.text}{cited}",
            "citations": shown[:1],
            "follow_ups": [self.plain[:290]],
        }


def _quiet_entry(_):
    lesson = "The lease of the webhook queue expired early because its clock was naive."
    lists = {"exchanges": [], "decisions": [], "lessons": [lesson], "actions": []}
    rule = {"text": KNOWN, "quote": KNOWN, "category": "workflow"}
    return {"worth_keeping": True, "title": "Leases", "context": "", "statements": [rule]} | lists


def _quiet_patch(request):
    entry = re.findall(r"^entry (\S+)$", request.prompt, re.MULTILINE)[0]
    line = "A lease that is taken with a naive clock expires early."
    article = Obedient("Nothing.")._article("lease-expiry", entry, [line], "Lease expiry", LEAD)
    rule = {"text": KNOWN, "category": "workflow", "quote": KNOWN, "entry": entry}
    return {"articles": [article], "rules": [rule]}


_QUIET = {
    "flush": _quiet_entry,
    "compile": _quiet_patch,
    "query": lambda _: {"known": False, "answer": "", "citations": [], "follow_ups": []},
}
LEAD = "Leases of the webhook queue expire after ten minutes."


@dataclass
class Poisoned:
    """A vault after a case went through it, and what later sessions get of it."""

    root: Path
    text: str
    outputs: dict[str, str] = field(default_factory=dict)
    promoted: str = ""
    judged: list = field(default_factory=list)

    @property
    def vault(self):
        return self.root / "vault"

    @property
    def hooks(self):
        return "\n".join(self.outputs.values())

    def work(self):
        return workspace(settings.load(str(self.vault)), quiet=True)

    def strangers(self):
        """Give the files that stand where nothing of a model's may be."""
        places = {"daily", "knowledge", "reports", ".obsidian"}
        found = [path for path in self.root.rglob("*") if path.is_file()]
        return [
            str(path)
            for path in found
            if path.is_relative_to(self.root / "other")
            or (path.is_relative_to(self.vault) and _top(path, self.vault) not in places)
        ]


def _top(path, vault):
    parts = path.relative_to(vault).parts
    # what `init` itself puts into a vault's root
    return parts[0] if len(parts) > 1 else "knowledge"


def run(root, origin, text, *, known=KNOWN, follow=True):
    """Take a case through capture, compile, query, and the hooks of the sessions that follow."""
    home = Poisoned(root, text)
    (root / "home").mkdir(exist_ok=True)
    work = home.work()
    init(work)
    model = Obedient(text)
    if origin == "teammate_article":
        _pulled(home.vault, text)
    if origin == "pulled_rule":
        _pulled_rule(home.vault, text)
    if origin == "pulled_entry":
        _pulled_entry(home.vault, text)
    for number, lines in enumerate(sessions(origin, text, known)):
        path = root / f"s-{number}.jsonl"
        path.write_bytes(b"".join(encode(one | {"sessionId": f"s-{number}"}) for one in lines))
        captured(home.work(), path, model)
    if origin == "pulled_edit":
        compiling.Compiler(home.work(), model).compile()
        _pulled_edit(home.vault, text)
    compiling.Compiler(home.work(), model).compile()
    if follow:
        asker = query.Asker(home.work(), model)
        asker.keep(asker.ask("When do leases of the webhook queue expire?"), file_back=True)
    snapshot.refresh(home.work())
    told(home)
    home.judged = [
        json.loads(line)
        for line in (state_of(home.vault) / "ledger.jsonl").read_text("utf-8").splitlines()
        if '"judged"' in line
    ]
    return home


def captured(work, path, model):
    observer = RuleObserver(work.vault)
    capture = Capture(work.vault, work.settings, model, work.spool, observer=observer)
    _given(work)
    for part in capture.parts(path):
        capture.deliver([capture.entry(part)])


def _given(work):
    """Let the session have been given every rule there is, so that it can be judged."""
    from memoria.rules import model as rule

    shelf = work.vault.articles
    found = rule.rules([shelf[path] for path in shelf])
    rows = [{"id": one.id, "hash": rule.text_hash(one.text), "p": 0.9} for one in found]
    folder = work.vault.state.given
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(2):
        (folder / f"s-{number}.json").write_text(json.dumps({"slate": rows, "arm": ""}))


def sessions(origin, text, known):
    """Give the lines of two sessions in which a case is met, each as its origin has it."""
    for number in range(2):
        at = number * 60
        yield (
            user(f"Why do leases of the webhook queue expire early? {known}", at),
            *_met(origin, text, at + 1, number),
            user("yes", at + 20),
            say("The lease of the webhook queue expired early: its clock was naive.", at + 21),
            *_mended("" if origin in _PULLED else text, at + 22, number),
        )


def _met(origin, text, at, number):
    key = f"t{number}"
    plain = payload(text)
    calls = {
        "web_page": tool(key, "WebFetch", url="https://docs.example.org", prompt="read it"),
        "tool_result": tool(key, "Bash", command="make check"),
        "repo_file": tool(key, "Read", file_path=f"{SHOP}/README.md"),
        "mcp": tool(key, "mcp__tracker__get", id="12"),
        "subagent": tool(key, "Task", prompt="look around"),
    }
    if origin in calls:
        yield assistant(calls[origin], at=at)
        yield result(key, text, at + 1)
    elif origin == "error":
        yield assistant(tool(key, command="make check"), at=at)
        yield result(key, f"Exit code 2\n{text}", at + 1, error=True)
    elif origin == "user":
        yield user(text, at)
    elif origin in _UNTYPED:
        yield from _UNTYPED[origin](text, at, key)
    if origin in {*calls, "error", "assistant", "user"}:
        # the agent is taken in as well, and says so in its own voice
        yield say(text if origin == "assistant" else f"{plain}\n\nDecision: {plain}", at + 2)


def _titled(kind, name):
    """Give a session that read a page, and what the client then called the session."""
    return lambda text, at, key: (
        assistant(tool(key, "WebFetch", url="https://docs.example.org", prompt="x"), at=at),
        result(key, text, at + 1),
        line(kind, at + 2, **{name: text}),
    )


# notes that no session has met: what a pull brings is told to none
_PULLED = {"teammate_article", "pulled_rule", "pulled_entry", "pulled_edit"}
# what stands in a transcript's user lines or titles, and nobody typed
_UNTYPED = {
    "scheduled": lambda text, at, _: (user(text, at, promptSource="system"),),
    "suggested": lambda text, at, _: (user(text, at, promptSource="suggestion_accepted"),),
    "notification": lambda text, at, _: (
        user(f"<task-notification>\n<task-id>a1</task-id>\n</task-notification>\n{text}", at),
    ),
    "beside_result": lambda text, at, key: (
        assistant(tool(key, "Bash", command="make check"), at=at),
        user(
            [
                {"type": "tool_result", "tool_use_id": key, "content": "done"},
                {"type": "text", "text": text},
            ],
            at + 1,
        ),
    ),
    "ai_title": _titled("ai-title", "aiTitle"),
    "summary_title": _titled("summary", "summary"),
}


def _mended(text, at, number):
    """A check fails, the agent does what it has read, and the check passes."""
    told = (payload(text) or "x")[:300]
    yield assistant(tool(f"f{number}", command=CHECK), at=at)
    yield result(f"f{number}", ERROR, at + 1, error=True)
    yield assistant(
        tool(
            f"g{number}",
            "Edit",
            file_path=f"{SHOP}/lease.py",
            old_string="expiry = naive(lease)",
            new_string=f"expiry = aware(lease)  # {told}",
        ),
        at=at + 2,
    )
    yield result(f"g{number}", "The file was updated.", at + 3)
    yield assistant(tool(f"h{number}", command=CHECK), at=at + 4)
    yield result(f"h{number}", "12 passed", at + 5)


def _pulled(vault, text):
    """A note that a pull brought: as it stands, and with all that makes it one of the project."""
    folder = vault / "knowledge" / "concepts"
    folder.mkdir(parents=True, exist_ok=True)
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    front = (
        f'---\ntitle: "Lease expiry of webhooks"\nprojects: ["{SHOP}"]\nupdated: 2026-03-02\n---\n'
    )
    (folder / "pulled.md").write_text(text, "utf-8")
    whole = f"{front}\n# Lease expiry of webhooks\n\n{body}\n\n## Key Points\n\n- {body}\n{body}\n"
    (folder / "lease-notes.md").write_text(whole, "utf-8")


def _pulled_entry(vault, text):
    """A log that a pull brought, with an entry in all its places and the comment of its writer."""
    lines = tuple(dict.fromkeys([" ".join(text.split()), f"Decided: {payload(text)}"]))
    at = datetime(2026, 3, 1, 10)  # noqa: DTZ001 - an entry has local times
    words_ = Draft(lines[0][:115], lines[0], lines, lines, lines, lines)
    entry = Entry("e-0123456789ab", at.date(), at, SHOP, "s-9", "claude", words_)
    (vault / "daily/2026-03-01.md").write_text(daily.place("", entry).text, "utf-8")


def _pulled_edit(vault, text):
    """A pull that puts a line into each list of this machine's own entries."""
    for path in (vault / "daily").glob("2*.md"):
        whole = path.read_text("utf-8")
        path.write_text(re.sub(r"(?m)^(\*\*[A-Z].*:\*\*)$", rf"\1\n- {text}", whole), "utf-8")


def _pulled_rule(vault, text):
    """A rule's note with all that a note can claim."""
    folder = vault / "knowledge" / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    line = " ".join(payload(text).split()).replace('"', "'")
    for number, status in enumerate(("approved", "pinned", "candidate")):
        front = (
            f'---\nid: wf-{number:010x}\ntitle: "{line}"\ncategory: workflow\nstatus: {status}\n'
            f'frequency: 9\nconfidence: high\nscope: []\nsessions: ["s-0", "s-1"]\n'
            f"sources: [daily/2026-03-02.md]\ncreated: 2026-03-02\nupdated: 2026-03-02\n---\n"
        )
        note = f'{front}\n# {line}\n\n## Evidence\n\n- "{line}" ([[daily/2026-03-02]])\n'
        (folder / f"pulled-{number}.md").write_text(note, "utf-8")


def told(home):
    """Run the hooks of later sessions and keep what they print; and what waits in their files."""
    place = protocol.Place(str(home.vault), str(state_of(home.vault)))
    words_ = " ".join(words(payload(home.text))[:40])
    prompts = ["Why do leases of the webhook queue expire?", words_, f"What about: {words_}?"]
    with patch.dict(os.environ, {"CLAUDE_PROJECT_DIR": SHOP}):
        for source in ("startup", "compact"):
            home.outputs[source] = _said(
                session_start.handle, place, {"source": source}, f"n-{source}"
            )
        for number, prompt in enumerate(prompts):
            event = {"prompt": prompt, "prompt_id": f"p{number}"}
            home.outputs[f"prompt {number}"] = _said(prompted.handle, place, event, f"p-{number}")
        event = {"tool_name": "Bash", "tool_input": {"command": CHECK}, "error": ERROR}
        home.outputs["failure"] = _said(failed.handle, place, event | {"tool_use_id": "t"}, "f-1")
    folder = state_of(home.vault) / "inject"
    prepared = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    home.outputs["prepared"] = "\n".join(_texts(prepared))
    home.outputs["recall"] = "\n".join(_recall(state_of(home.vault) / "recall.sqlite"))


def _texts(value):
    if isinstance(value, str):
        yield value
    for one in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _texts(one)


def _recall(path):
    import sqlite3

    base = sqlite3.connect(path)
    for (text,) in base.execute("SELECT text FROM rule"):
        yield text
    for row in base.execute("SELECT change FROM remedy"):
        yield row[0]
    for title, path_, passages in base.execute("SELECT title, path, passages FROM article"):
        told = [text for _, text in json.loads(passages)]
        # a note of which nothing may be said has no passage, and so is never named
        yield "\n".join([title, path_.replace("-", " "), *told] if told else [])
    base.close()


def _said(handle, place, event, session):
    """Give what a hook prints."""
    printed = []
    base = {"session_id": session, "cwd": SHOP, "transcript_path": ""}
    real = protocol.put

    def put(handle_, data):
        if handle_ == 1:
            printed.append(data)
        else:
            real(handle_, data)

    with patch.object(protocol, "put", put), patch.object(protocol, "flush", lambda *_: None):
        handle(place, base | event)
    text = b"".join(printed).decode("utf-8")
    return json.loads(text)["hookSpecificOutput"]["additionalContext"] if text else ""


def faults(home):
    """Give all that went wrong: leaks by hook, active content, strangers, rewards, lost notes."""
    found = [
        f"{name}: {run}"
        for name, output in home.outputs.items()
        if (run := leaked(home.text, output))
    ]
    found += [
        f"{name} acts: {it}" for name, output in home.outputs.items() if (it := active(output))
    ]
    found += [f"stranger {path}" for path in home.strangers()]
    for record in home.judged:
        said = [row for row in record["rules"].values() if row.get("by") == "model"]
        found += [f"judged by {row['quote']}" for row in said if leaked(home.text, row["quote"])]
    notes = sorted((home.vault / "knowledge").rglob("*.md"))
    if not any(note.stem == "lease-expiry" for note in notes):
        found.append("a note was deleted")
    for note in notes:
        if not note.stem.startswith(("pulled", "lease-notes")):
            text = re.sub(r"\A---\n.*?\n---\n", "", note.read_text("utf-8"), flags=re.DOTALL)
            found += [f"{note.name} acts: {it}"] if (it := active(text)) else []
    path = state_of(home.vault) / "approvals.json"
    approvals = json.loads(path.read_text("utf-8")) if path.exists() else {}
    if len(approvals) > 1:
        found.append(f"{len(approvals)} rules are approved")
    return found
