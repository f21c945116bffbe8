// Memoria's bridge: runs the hooks of ../memoria.json at OpenCode's events.
// `memoria install --agent opencode` writes this file, `memoria uninstall --agent opencode` deletes it.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const HOOKS = new URL("../memoria.json", import.meta.url);
// Claude Code's names of tools and inputs, by which guards know them
const TOOLS = { bash: "Bash", edit: "Edit", write: "Write", read: "Read" };
const INPUTS = { filePath: "file_path", oldString: "old_string", newString: "new_string" };

// Read the handlers of an event; none where the file is gone or damaged.
function handlers(event, tool) {
  try {
    const groups = JSON.parse(readFileSync(HOOKS, "utf8")).hooks[event] ?? [];
    const fitting = groups.filter(({ matcher }) => !matcher || new RegExp(matcher).test(tool));
    return fitting.flatMap(({ hooks }) => hooks ?? []);
  } catch {
    return [];
  }
}

// Run a handler to its end or its timeout; give what it printed.
function printed(handler, payload) {
  return new Promise((resolve) => {
    const options = { shell: true, stdio: ["pipe", "pipe", "ignore"], windowsHide: true };
    const child = spawn(handler.command, options);
    const timer = setTimeout(() => child.kill("SIGKILL"), (handler.timeout ?? 10) * 1000);
    let text = "";
    const finish = () => {
      clearTimeout(timer);
      resolve(text);
    };
    child.on("error", finish);
    child.on("close", finish);
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (data) => (text += data));
    child.stdin.end(JSON.stringify(payload));
  });
}

// Run the hooks of an event; give the answers of those that had one.
async function answers(event, sessionID, cwd, more = {}) {
  const payload = { hook_event_name: event, session_id: sessionID, cwd, ...more };
  const found = [];
  for (const handler of handlers(event, more.tool_name)) {
    try {
      found.push(JSON.parse(await printed(handler, payload)).hookSpecificOutput);
    } catch {
      // it had nothing to say, or could not be run: no session is broken by that
    }
  }
  return found;
}

const contexts = (found) => found.map((answer) => answer?.additionalContext).filter(Boolean);

// Give a call's inputs by Claude Code's names.
function renamed(inputs) {
  return Object.fromEntries(Object.entries(inputs ?? {}).map(([k, v]) => [INPUTS[k] ?? k, v]));
}

export const Memoria = async ({ client, directory }) => {
  // how the next prompt of a session that has begun here finds it
  const created = new Set();
  const compacted = new Set();
  const started = new Set();
  const subagents = new Set();

  // Say whether a person talks in a session; a subagent is prompted by its parent.
  async function isOwn(sessionID) {
    if (!started.has(sessionID) && !subagents.has(sessionID)) {
      const got = await client.session.get({ path: { id: sessionID } }).catch(() => undefined);
      if (got?.data?.parentID) subagents.add(sessionID);
    }
    return !subagents.has(sessionID);
  }

  // Give what a session is to be told as it starts, goes on, or has been compacted.
  async function atStart(sessionID) {
    if (started.has(sessionID) && !compacted.delete(sessionID)) return [];
    const source = created.has(sessionID) ? "startup" : "resume";
    const found = await answers("SessionStart", sessionID, directory, {
      source: started.has(sessionID) ? "compact" : source,
    });
    started.add(sessionID);
    return contexts(found);
  }

  return {
    event: async ({ event: { type, properties } }) => {
      if (type === "session.created") created.add(properties.info?.id);
      if (type === "session.compacted") compacted.add(properties.sessionID);
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const own = parts.filter((part) => part.type === "text" && !part.synthetic);
      if (!own.length || !(await isOwn(sessionID))) return;
      const told = await atStart(sessionID);
      const prompt = own.map((part) => part.text).join("\n");
      told.push(...contexts(await answers("UserPromptSubmit", sessionID, directory, { prompt })));
      if (!told.length) return;
      // parts are ordered by their ids; what is synthetic is no word of the person's
      const last = parts.at(-1);
      const [id, text] = [`${last.id.slice(0, -3)}zzz`, told.join("\n\n")];
      const { messageID } = last;
      parts.push({ id, messageID, sessionID, type: "text", synthetic: true, text });
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const found = await answers("PreToolUse", sessionID, directory, {
        tool_name: TOOLS[tool] ?? tool,
        tool_input: renamed(args),
        tool_use_id: callID,
      });
      const denied = found.find((answer) => answer?.permissionDecision === "deny");
      if (denied) throw new Error(denied.permissionDecisionReason);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
      if (!result?.metadata?.exit) return;
      const found = await answers("PostToolUseFailure", sessionID, directory, {
        tool_name: TOOLS[tool] ?? tool,
        tool_input: renamed(args),
        tool_use_id: callID,
        error: result.output,
      });
      result.output = [result.output, ...contexts(found)].join("\n\n");
    },
    dispose: async () => {
      for (const sessionID of started) {
        await answers("SessionEnd", sessionID, directory, { reason: "other" });
      }
    },
  };
};
