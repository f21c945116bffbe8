"""The real Codex client in a clean room with a vault -> its sessions, hooks and files as they are.

It has a CODEX_HOME in the room's home, no account, and a provider of models that is the loopback
server. The trap: Codex runs a hook only once a person has approved it; the approval is written as
its own dialogue writes it, so that a hash that we compute wrongly fails the tests.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

from keeper import Keeper

from memoria.agents.claude_code.settings import AGENT_OPTION
from memoria.agents.client_hooks import CODEX
from memoria.agents.shell_line import parse_shell_line

# a model that the client knows, so that it offers its own tools
MODEL = "gpt-5.5"
CONFIG = """model = "{model}"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
[analytics]
enabled = false
[features]
plugins = false
apps = false
"""
# every tool runs unasked: what the room holds is all that it can reach
UNASKED = "--dangerously-bypass-approvals-and-sandbox"


# where .ci/run puts it; else the one on the PATH
CLIENTS = Path(__file__).resolve().parents[2] / ".clients" / "node_modules" / ".bin"


def find_codex():
    """Find the client."""
    return shutil.which("codex", path=str(CLIENTS)) or shutil.which("codex")


def needs_codex():
    """Say why Codex cannot be driven here, "" where it can."""
    if find_codex() is None or shutil.which("node") is None:
        return "Codex is not installed here (npm install -g @openai/codex)"
    return ""


def approve(codex):
    """Write what Codex keeps of a person's approval (as version 0.169 was seen to accept it)."""
    file = codex / CODEX.file
    with (codex / "config.toml").open("a", encoding="utf-8") as config:
        for key, digest in placed_hooks(json.loads(file.read_text(encoding="utf-8")), str(file)):
            config.write(f'[hooks.state."{key}"]\ntrusted_hash = "{digest}"\n')


def placed_hooks(value, where):
    """Give key and hash of each hook of ours, as Codex names and hashes them."""
    for event, groups in value["hooks"].items():
        # SessionStart is session_start there
        label = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        for at, group in enumerate(groups):
            for number, handler in enumerate(group["hooks"]):
                if AGENT_OPTION in parse_shell_line(handler["command"]):
                    yield f"{where}:{label}:{at}:{number}", hashed(label, group, handler)


def hashed(label, group, handler):
    """Hash a hook as Codex does: the canonical JSON of event, matcher, command and timeout."""
    seconds = handler.get("timeout", 600)
    hook = {"async": False, "command": handler["command"], "timeout": seconds, "type": "command"}
    identity = {"event_name": label, "hooks": [hook]}
    if "matcher" in group and label not in {"user_prompt_submit", "stop"}:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


class CodexKeeper(Keeper):
    """A room whose Claude Code and Codex sessions are kept in one vault."""

    def __init__(self, root, loop, engine="offline", **more):
        super().__init__(root, loop, engine, **more)
        self.codex = self.home / ".codex"
        self.codex.mkdir()
        config = CONFIG.format(model=MODEL, url=self.url, project=self.project)
        (self.codex / "config.toml").write_text(config, encoding="utf-8")
        self.extra["PATH"] = f"{self.env['PATH']}:{Path(str(shutil.which('node'))).parent}"
        self.extra["CODEX_HOME"] = str(self.codex)

    def join(self):
        """Install the hooks for Codex and approve them."""
        self.do("install", "--agent", "codex")
        approve(self.codex)

    def code(self, prompt, *arguments):
        """Run `codex exec` to its end."""
        words = (str(find_codex()), "exec", *arguments, UNASKED, prompt)
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done

    def rollouts(self):
        """Give the files of all Codex sessions in this room, oldest first."""
        return sorted((self.codex / "sessions").glob("*/*/*/rollout-*.jsonl"))
