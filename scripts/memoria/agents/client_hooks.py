"""Name the file in which each agent's client looks for hooks, and which of Memoria's stand in it.

All have the shape of Claude Code's settings, but for a command that is a shell's line. Gemini CLI
counts a timeout in milliseconds; OpenCode runs programs of its own language alone, so a bridge
beside the file (agents/opencode/bridge.js) runs what stands in it. The trap: a client may read no
other name in such a file, one that waits for a hook waits for as long as the file allows, and Codex
drops an answer with a field that it does not know, and a prompt whose hook ends with 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoria.agents.claude_code.settings import (
    AGENT_OPTION,
    GUARD,
    TIMEOUT_SECONDS,
    WAITED_FOR_SECONDS,
    Hook,
)
from memoria.agents.shell_line import CMD, POWERSHELL, SH, format_shell_line

_START, _PROMPT, _END = "session_start.py", "user_prompt_submit.py", "session_end.py"
# event, program, seconds; a session that did not end in order is found by the sweep
_USUAL = (
    ("SessionStart", _START, TIMEOUT_SECONDS),
    ("UserPromptSubmit", _PROMPT, WAITED_FOR_SECONDS),
    ("SessionEnd", _END, TIMEOUT_SECONDS),
)
# for clients that tell how a command ended; Codex tells a hook only what it printed
_FAILED = "post_tool_use_failure.py"
_FAILURE = ("PostToolUseFailure", _FAILED, WAITED_FOR_SECONDS)
_COMPACTION = ("PreCompact", "pre_compact.py", TIMEOUT_SECONDS)


@dataclass(frozen=True, slots=True)
class ClientHooks:
    """Where the hooks of an agent's client stand, and what it calls what they are for.

    `file` lies in the folder of the client's settings. `events` are the event, our program and
    seconds; `units` is what a second is to the client. `names` are Claude Code's events and tools
    that the client calls something else. `bridge` is a program beside the file that the client
    needs to run what stands in it. `shell` is the one that it starts on Windows.
    """

    agent: str
    file: str
    events: tuple[tuple[str, str, float], ...] = _USUAL
    units: int = 1
    names: Mapping[str, str] = field(default_factory=dict)
    bridge: str = ""
    shell: str = CMD

    def hooks(
        self, python: str, folder: str, vault: str, state: str, guard_matcher: str
    ) -> tuple[Hook, ...]:
        """Give the hooks of an install whose scripts lie in `folder`."""
        tools = {self.names.get(tool, tool) for tool in guard_matcher.split("|") if tool}
        guard = [(*GUARD, WAITED_FOR_SECONDS)] if tools else []
        hooks = []
        for event, program, seconds in (*self.events, *guard):
            path = f"{folder.rstrip('/')}/{program}"
            args = ("-S", "-E", path, "--vault", vault, "--state", state, AGENT_OPTION, self.agent)
            line = format_shell_line((python, *args), SH if python.startswith("/") else self.shell)
            name = self.names.get(event, event)
            matcher = self._build_matcher(event, program, tools)
            hooks.append(Hook(name, python, args, seconds * self.units, matcher, line=line))
        return tuple(hooks)

    def _build_matcher(self, event: str, program: str, guarded_tools: set[str]) -> str:
        """Say for which tools, or in which case, the client starts a hook; "" for all."""
        # it is told before each request, which most do not cut
        if self.names.get(event) == "PreCompress":
            return "manual"
        tools = {self.names.get("Bash", "Bash")} if program == _FAILED else set()
        tools = guarded_tools if event == GUARD[0] else tools
        return f"^({'|'.join(sorted(tools))})$" if tools else ""


CODEX = ClientHooks(
    "codex",
    "hooks.json",
    (
        *_USUAL[:2],
        _COMPACTION,
        ("Stop", _END, WAITED_FOR_SECONDS),
        # cut to 3 by the client, which says so at each start where more is asked for; versions
        # before 0.145 have no such event
        ("SessionEnd", _END, 3),
    ),
    # a patch is an Edit or a Write to guards
    names={"Edit": "apply_patch", "Write": "apply_patch"},
)
COPILOT = ClientHooks(
    "copilot",
    "hooks/memoria.json",
    (*_USUAL, _COMPACTION, _FAILURE),
    # it has an event of that name, of tools that could not be run
    names={"PostToolUseFailure": "PostToolUse"},
    shell=POWERSHELL,
)
GEMINI = ClientHooks(
    "gemini",
    "settings.json",
    (*_USUAL, _COMPACTION, _FAILURE),
    units=1000,
    names={
        "PreCompact": "PreCompress",
        "UserPromptSubmit": "BeforeAgent",
        "PreToolUse": "BeforeTool",
        "PostToolUseFailure": "AfterTool",
        "Bash": "run_shell_command",
        "Edit": "replace",
        "Write": "write_file",
        "Read": "read_file",
    },
    shell=POWERSHELL,
)
OPENCODE = ClientHooks("opencode", "memoria.json", (*_USUAL, _FAILURE), bridge="plugins/memoria.js")
CLIENTS = {client.agent: client for client in (CODEX, COPILOT, GEMINI, OPENCODE)}
