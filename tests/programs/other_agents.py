"""The real OpenCode, Gemini CLI and Copilot CLI in a clean room -> the sessions that they write.

None has an account: each takes the loopback server for its provider of models. The trap: they look
for updates and lists of models, which is switched off, as the server is their proxy too.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from codex import CLIENTS
from keeper import Keeper
from loopback import call, say

from memoria.agents.port import COPILOT, GEMINI, OPENCODE

# the command of each, and the package that has it
PROGRAMS = {
    OPENCODE: ("opencode", "opencode-ai"),
    GEMINI: ("gemini", "@google/gemini-cli"),
    COPILOT: ("copilot", "@github/copilot"),
}
# the tools of each for: run a command, write a file, change it, read it
TOOLS = {
    OPENCODE: ("bash", "write", "edit", "read"),
    GEMINI: ("run_shell_command", "write_file", "replace", "read_file"),
    COPILOT: ("bash", "create", "edit", "view"),
}
INPUTS = {
    OPENCODE: {"path": "filePath", "old": "oldString", "new": "newString"},
    GEMINI: {"path": "file_path", "old": "old_string", "new": "new_string"},
    COPILOT: {"path": "path", "old": "old_str", "new": "new_str", "content": "file_text"},
}


def find(agent):
    """Find an agent's program."""
    program = PROGRAMS[agent][0]
    return shutil.which(program, path=str(CLIENTS)) or shutil.which(program)


def needs(agent):
    """Say why an agent cannot be driven here, "" where it can."""
    if find(agent) is None or shutil.which("node") is None:
        return f"{agent.label} is not installed here (npm install -g {PROGRAMS[agent][1]})"
    return ""


class OtherAgent(Keeper):
    """A room in which sessions of another agent are held."""

    def join(self, agent):
        """Tell the agent where the loopback server is, and to ask nothing."""
        self.agent = agent
        node = Path(str(shutil.which("node"))).parent
        self.extra |= {"PATH": f"{self.env['PATH']}:{node}"}
        if agent is OPENCODE:
            self._opencode()
        elif agent is GEMINI:
            self._gemini()
        else:
            (self.home / ".copilot").mkdir()
            self.extra |= {
                "COPILOT_OFFLINE": "true",
                "COPILOT_PROVIDER_BASE_URL": self.url,
                "COPILOT_PROVIDER_TYPE": "anthropic",
                "COPILOT_PROVIDER_API_KEY": "dummy",
                "COPILOT_MODEL": "claude-sonnet-4.5",
                "COPILOT_AUTO_UPDATE": "false",
            }

    def _opencode(self):
        provider = {"options": {"baseURL": f"{self.url}/v1", "apiKey": "dummy"}}
        model = "anthropic/claude-sonnet-4-5"
        config = {
            "model": model,
            "small_model": model,
            "permission": "allow",
            "provider": {"anthropic": provider},
        }
        folder = self.home / ".config" / "opencode"
        folder.mkdir(parents=True)
        (folder / "opencode.json").write_text(json.dumps(config), encoding="utf-8")
        for name in ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"):
            self.extra[f"OPENCODE_DISABLE_{name}"] = "1"

    def _gemini(self):
        settings = {
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "tools": {"useRipgrep": False},
        }
        folder = self.home / ".gemini"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        self.extra |= {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": self.url}

    def install(self):
        """Install the hooks; give the files of the agent's settings as they were before."""
        before = self._settings()
        self.do("install", "--agent", self.agent.name)
        assert self._settings() != before
        return before

    def uninstall(self):
        """Uninstall the hooks; give the files of the agent's settings as they are then."""
        self.do("uninstall", "--agent", self.agent.name)
        return self._settings()

    def _settings(self):
        """Read the files that an install may write."""
        place = self.agent.settings(self.env, self.home)
        globs = ("settings.json", "memoria.json", "*-backup", "hooks/*", "plugins/*")
        files = (path for glob in globs for path in place.glob(glob))
        return {str(path.relative_to(place)): path.read_bytes() for path in files}

    def talk(self, prompt):
        """Hold a session of one prompt to its end."""
        words = {
            OPENCODE: ("run", prompt),
            GEMINI: ("--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", prompt),
            COPILOT: ("--allow-all", "-p", prompt),
        }
        done = self.run(str(find(self.agent)), *words[self.agent])
        assert done.returncode == 0, done.stderr
        return done

    def work(self):
        """Give a session's answers that use each tool once; the command and the reading fail."""
        names, inputs = TOOLS[self.agent], INPUTS[self.agent]
        file = {inputs["path"]: str(self.project / "a.txt")}
        new = {**file, inputs.get("content", "content"): "one\n"}
        change = {**file, inputs["old"]: "one", inputs["new"]: "two", "instruction": "x"}
        missing = {inputs["path"]: str(self.project / "missing.txt")}
        command = {"command": "echo hi; exit 3", "description": "Say hi"}
        calls = zip(names, (command, new, change, missing), strict=True)
        return [*(call(name, given) for name, given in calls), say("All done.")]

    def sessions(self):
        """Read all sessions of the agent, as the library finds them."""
        folder = self.agent.folder(self.env, self.home)
        return [
            part for found in self.agent.sessions(folder) for part in self.agent.read(found.path)
        ]
