/* oxlint-disable no-control-regex -- this reads the escape sequences of terminals */
// Types the lines of terminal/scenes.mjs into a real terminal (tmux) and draws what it shows as pictures for the docs:
// `node scripts/terminal-pictures.mjs [NAME …]`, after a build. Needs tmux.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { draw } from "./terminal/draw.mjs";
import { startModel } from "./terminal/fake-model.mjs";
import { scenes } from "./terminal/scenes.mjs";

const root = resolve(import.meta.dirname, "..");
const [columns, rows] = [100, 90];
const lineLimitMs = 60_000;
const dir = mkdtempSync(join(tmpdir(), "tenon-pictures-"));
const model = await startModel();
const names = process.argv.slice(2);
try {
  prepare();
  await tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-s", "pictures", shell());
  for (const [name, lines] of Object.entries(scenes)) {
    const screen = await play(lines);
    if (names.length > 0 && !names.includes(name)) continue;
    writeFileSync(join(root, `docs/images/terminal-${name}.svg`), draw(screen, columns));
    console.log(`terminal-${name}.svg: ${screen.length} lines`);
  }
} finally {
  await tmux("kill-server").catch(() => undefined);
  model.close();
  rmSync(dir, { recursive: true, force: true });
}

/** A folder with notes, a repository and a small MCP server, and `tenon` on the PATH. */
function prepare() {
  for (const folder of ["bin", "home/.cursor", "demo"]) mkdirSync(join(dir, folder), { recursive: true });
  symlinkSync(join(root, "bin/tenon.cjs"), join(dir, "bin/tenon"));
  writeFileSync(join(dir, "demo/notes.md"), "# Notes\n\nBuy milk.\n");
  writeFileSync(join(dir, "demo/hook.py"), 'open(".git/hooks/pre-commit", "w").write("true")\n');
  cpSync(join(root, "test/console/tiny-mcp-server.mjs"), join(dir, "demo/tiny-mcp-server.mjs"));
  execFileSync("git", ["init", "--quiet", join(dir, "demo")]);
}

function shell() {
  const env = {
    PATH: `${join(dir, "bin")}:${process.env.PATH}`,
    HOME: join(dir, "home"),
    LANG: "C.UTF-8",
    PS1: "$ ",
    MODEL_URL: model.url,
    OPENAI_API_KEY: "demo",
  };
  const words = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  return `cd ${join(dir, "demo")} && exec env -i TERM=$TERM ${words.join(" ")} bash --norc --noprofile`;
}

/** Type lines on an empty screen, each once the one before has ended; returns what is on the screen then. */
async function play(lines) {
  await tmux("send-keys", "-t", "pictures", "clear", "Enter");
  await waitFor((screen) => screen === "$");
  for (const entry of lines) {
    const { line, keys = [], until } = typeof entry === "string" ? { line: entry } : entry;
    await tmux("send-keys", "-t", "pictures", "-l", line);
    if (until === undefined) await tmux("send-keys", "-t", "pictures", "Enter");
    for (const { text, keys: pressed } of keys) {
      await waitFor((screen) => screen.includes(text));
      await pause(500); // a prompt listens once it is drawn
      await tmux("send-keys", "-t", "pictures", ...pressed);
    }
    await waitFor((screen) => (until === undefined ? screen.endsWith("\n$") : screen.includes(until)));
  }
  const screen = await capture("-e");
  if (lines.at(-1).until !== undefined) await tmux("send-keys", "-t", "pictures", "C-c");
  return screen
    .replaceAll(dir, "/home/me")
    .replaceAll(model.url, "http://127.0.0.1:11434/v1")
    .replace(/\n[^\n]*\$[^\n]*$/, (last) =>
      /[a-z]/.test(last.replaceAll(/\u001b\[[\d;]*m/g, "")) ? last : "",
    )
    .split("\n")
    .map((line) => (line.startsWith("$ ") ? `\u001b[1m${line}\u001b[0m` : line));
}

async function capture(...flags) {
  return (await tmux("capture-pane", "-p", ...flags, "-t", "pictures")).trimEnd();
}

async function waitFor(isReached) {
  const until = Date.now() + lineLimitMs;
  while (!isReached(await capture())) {
    if (Date.now() > until) throw new Error(`The terminal did not get on:\n${await capture()}`);
    await pause(200);
  }
}

/** A server of its own, so that the person's tmux is left alone. */
async function tmux(...args) {
  const { stdout } = await promisify(execFile)("tmux", [
    "-L",
    `tenon-${process.pid}`,
    "-f",
    "/dev/null",
    ...args,
  ]);
  return stdout;
}
