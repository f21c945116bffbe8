"""Say whether a person drives a command or an agent, from its processes and its terminal.

A person sits at a terminal: standard input is the controlling terminal, the shell that leads its
session is an ancestor, and no process between them and up to the machine's first one is an agent
or was started by one. A pseudo-terminal is opened by whoever likes, so whoever holds its other end
is asked the same; a program that only passes keys on (script, expect) counts as a person where it
sits at a person's terminal itself, and tmux where a person is attached to it.
"""

from __future__ import annotations

from dataclasses import dataclass

# what coding agents set for the commands that they run, and no person sets for their own use:
# CLAUDE_CODE_SSE_PORT, CURSOR_TRACE_ID and their like stand in a person's terminals as well
VARIABLES = frozenset(
    """AI_AGENT AMP_CURRENT_THREAD_ID ANTIGRAVITY_AGENT AUGMENT_AGENT CLAUDECODE CLAUDE_CODE
    CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_PID CLINE_ACTIVE
    CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID COPILOT_AGENT
    COPILOT_AGENT_SESSION_ID COPILOT_CLI CURSOR_AGENT GEMINI_CLI GOOSE_TERMINAL OPENCODE
    PI_CODING_AGENT QWEN_CODE TRAE_AI_SHELL_ID""".split()  # noqa: SIM905 - a list of words reads best as text
)
# programs, and packages of npm and PyPI that are run by an interpreter
PROGRAMS = frozenset(
    """aider amp auggie claude claude-code cline codex copilot copilot-cli crush cursor-agent droid
    gemini gemini-cli goose kiro-cli opencode opencode-ai openhands qwen qwen-code""".split()  # noqa: SIM905 - as above
)
# editors and assistants that start MCP servers and ask the person themselves; a person's own
# commands run in their terminals as well, so there they are no agents
_EDITORS = frozenset(
    """claude-desktop code code-insiders code-oss codium cursor idea idea64 positron pycharm
    pycharm64 vscodium webstorm webstorm64 windsurf zed zed-editor zeditor""".split()  # noqa: SIM905 - as above
)
# what Claude Code sets for its commands alone, and not for the MCP servers that it starts
_OF_COMMANDS = frozenset({"CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PID"})
_INTERPRETERS = ("bash", "bun", "deno", "node", "npm", "npx", "python", "sh", "uv", "uvx", "zsh")
# what holds a terminal's other end and only passes on what it is given
_RELAYS = ("expect", "perl", "python", "ruby", "script", "socat", "sshpass", "unbuffer")
_TMUX = "tmux"


@dataclass(frozen=True, slots=True)
class Driver:
    """Who drives a command: a person, or `reason` says why it does not look like one."""

    reason: str = ""

    @property
    def is_person(self) -> bool:
        """Whether a person decides by what is typed here."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Process:
    """A process: its program's name, its command line, and the names of its variables."""

    pid: int
    name: str
    command: tuple[str, ...] = ()
    variables: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ProcessContext:
    """Where a process runs."""

    chain: tuple[Process, ...]  # the process and its ancestors
    leader: int  # leads its session; 0 where the platform has no sessions
    terminal: str  # the controlling terminal, "" for none
    stdin: str  # that of standard input, "" for none
    # who holds the terminal's other end, as far as that can be seen
    holders: tuple[ProcessContext, ...] = ()
    clients: tuple[ProcessContext, ...] = ()  # of a tmux server: those that show this terminal


def find_driver(context: ProcessContext) -> Driver:
    """Decide who drives the process of a seat."""
    return Driver(_explain_no_person(context))


def is_served(context: ProcessContext) -> bool:
    """Whether a person's client started this MCP server: a known one, or one at their terminal.

    Who started it answers what the server asks, so an agent could answer for the person. What an
    agent detaches has neither: its parents have ended, and what is left tells nothing.
    """
    for process in context.chain:
        if process.variables & _OF_COMMANDS:
            return False
        if _is_program(process) or _is_editor(process):
            return True
    return not (_explain_no_terminal(context) or _explain_holders(context))


def _explain_no_person(context: ProcessContext) -> str:
    """Say why no person drives it: an agent, no terminal, or who holds its other end."""
    agent = next(filter(None, map(_explain_agent, context.chain)), "")
    redirection = "standard input is not the terminal" if context.stdin != context.terminal else ""
    return agent or _explain_no_terminal(context) or redirection or _explain_holders(context)


def _explain_agent(process: Process) -> str:
    """Say why a process is an agent or was started by one, "" if it is not."""
    for name in sorted(process.variables & VARIABLES):
        return f"{name} is set in {process.name} ({process.pid})"
    return f"{process.name} ({process.pid}) runs it" if _is_program(process) else ""


def _is_program(process: Process) -> bool:
    """Whether its program has an agent's name, also as what an interpreter runs."""
    command = process.command
    names = {_program_name(process.name), *map(_program_name, command[:1])}
    if command[1:] and _program_name(command[0]).startswith(_INTERPRETERS):
        names.add(_program_name(command[1]))
        package = f"/{command[1]}".replace("\\", "/").partition("/node_modules/")[2]
        names |= set(package.split("/")[:2])
    return bool(PROGRAMS & names)


def _is_editor(process: Process) -> bool:
    """Whether it is an editor; what "Code Helper (Plugin)" helps is its first word."""
    return _program_name(process.name).partition(" ")[0] in _EDITORS


def _program_name(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2].casefold()
    for ending in (".exe", ".cmd", ".js", ".mjs", ".py"):
        name = name.removesuffix(ending)
    return name


def _explain_no_terminal(context: ProcessContext) -> str:
    if not context.terminal:
        return "there is no terminal"
    if context.leader and context.leader not in {process.pid for process in context.chain}:
        return "the shell that started it is not there any more"
    return ""


def _explain_holders(context: ProcessContext) -> str:
    """Say why one of those who hold the terminal's other end is no person, "" for none."""
    return next(filter(None, map(_explain_holder, context.holders)), "")


def _explain_holder(context: ProcessContext) -> str:
    """Say why whoever holds a terminal's other end is no person, "" if nothing tells against it."""
    agent = next(filter(None, map(_explain_agent, context.chain)), "")
    name = _program_name(context.chain[0].name) if context.chain else ""
    if not agent and name.startswith(_RELAYS):
        reason = _explain_no_person(context)
        return f"{name} types for it, and {reason}" if reason else ""
    if not agent and name.startswith(_TMUX) and all(map(_explain_no_person, context.clients)):
        return "no person is attached to this tmux session"
    return agent
