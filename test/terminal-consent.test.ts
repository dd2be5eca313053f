import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { randomText } from "../src/text/visible-text.fixture.js";
import { fromVisibleText, toVisibleText } from "../src/text/visible-text.js";

const tenon = resolve(import.meta.dirname, "../bin/tenon.cjs");
const asks = "policy:\n  rules:\n    - { id: look, decision: ask, tool: json_parse }\n";
const interrupt = "\u0003";

describe("consent on a terminal", () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "tenon-terminal-"));
    writeFileSync(join(home, "tenon.yaml"), asks);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Run a command in a real terminal; each answer is typed once its prompt is there. */
  function inTerminal(args: readonly string[], steps: readonly Step[], env: Record<string, string> = {}) {
    return new Promise<string>((done) => {
      const child = spawn(process.execPath, [tenon, ...args, "--config", join(home, "tenon.yaml")], {
        cols: 100,
        rows: 30,
        cwd: home,
        env: { PATH: process.env["PATH"], HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, ...env },
      });
      const left = [...steps];
      let output = "";
      let from = 0;
      child.onData((data) => {
        output += data;
        const [next] = left;
        if (next === undefined || !next.prompt.test(output.slice(from))) return;
        left.shift();
        from = output.length;
        // The prompt listens once it is drawn.
        setTimeout(() => child.write(next.keys), 100);
      });
      child.onExit(() => done(output.replaceAll("\r\n", "\n")));
    });
  }

  it("shows a text of all characters so that it decodes to the same code points", async () => {
    let text = ""; // well formed: half a surrogate pair is refused as an argument
    for (let seed = 1; toVisibleText(text).length < 6000; seed += 1)
      text += `${randomText(seed).toWellFormed()}\n`;
    const output = await inTerminal(call("json_parse", { text }), [refuse]);
    const shown = [...output.matchAll(/^│ (?:text|\s{4}) │ (.*)$/gm)].map(([, line]) => line);
    expect(fromVisibleText(shown.join("\n")) === text).toBe(true);
  });

  it("shows a heredoc with every line of its body, and nothing of it steers the terminal", async () => {
    const command =
      "python3 - <<'X'\nprint(1)\n\u001b]0;title\nopen('made', 'w')\u001b\\\n\u001b[8mhidden\u202e\nX";
    const output = await inTerminal(call("shell_exec", { command }), [refuse]);
    // On a busy machine Tenon itself writes before the question that the call goes on, and erases that line again.
    const signOfLife = /\r(?:[\u2800-\u28ff] shell_exec is running, \d+ s)?$/;
    const before = output
      .slice(0, output.indexOf("Allow this call?"))
      .split("\u001b[K")
      .map((piece) => piece.replace(signOfLife, ""))
      .join("");
    for (const line of ["⟨ESC⟩]0;title", "open('made', 'w')⟨ESC⟩\\", "⟨ESC⟩[8mhidden⟨U+202E⟩"])
      expect(before).toContain(`│         │ ${line}\n`);
    expect(before.replaceAll("\u001b[?25l\u001b[90m│\u001b[39m\n\u001b[36m◆\u001b[39m", "")).not.toContain(
      "\u001b",
    );
    expect(existsSync(join(home, "made"))).toBe(false);
  });

  it("opens what is long in the person's pager, whole, before it asks", async () => {
    const text = `${"\n".repeat(300)}\u202e${"line \u001b[2K\n".repeat(3000)}`;
    const paged = join(home, "paged.txt");
    const output = await inTerminal(call("json_parse", { text }), [refuse], { PAGER: `cat > '${paged}'` });
    const shown = readFileSync(paged, "utf8");
    const lines = [...shown.matchAll(/^│ (?:text|\s{4}) │ (.*)$/gm)].map(([, line]) => line);
    expect(fromVisibleText(lines.join("\n")) === text).toBe(true);
    expect(output).toMatch(/… 3,\d{3} more lines, \d\d,\d{3} characters \(opened above\)/);
    expect(output).toContain("Show it again");
  });

  it("takes no consent to what was not opened to its end, where there is no pager", async () => {
    const text = "line\n".repeat(4000);
    const right = "\u001b[C";
    const output = await inTerminal(
      call("json_parse", { text }),
      [{ prompt: /Stop reading/, keys: `${right}\r` }, refuse],
      { PAGER: "" },
    );
    const asked = output.slice(output.indexOf("Allow this call?"));
    expect(output).toMatch(/… 3,9\d\d more lines/);
    expect(asked).toContain("Show it in full first");
    expect(asked).not.toContain("Yes, once");
  });

  it("shows what a command changed on a layer, and commits it after a yes", async () => {
    writeFileSync(
      join(home, "tenon.yaml"),
      `${asks}shell: { askAfter: true }\nsandbox: { layers: { enabled: true } }\n`,
    );
    // A layer cannot lie in the workspace that it covers.
    const state = mkdtempSync(join(tmpdir(), "tenon-terminal-state-"));
    onTestFinished(() => rmSync(state, { recursive: true, force: true }));
    const answer = (keys: string): Promise<string> =>
      inTerminal(
        call("shell_exec", { command: "echo two\u202e >>made.txt" }),
        [{ prompt: /Commit these changes\?[\s\S]*to navigate/, keys }],
        { XDG_STATE_HOME: state },
      );
    const refused = await answer(interrupt);
    expect(refused).toContain("│ +two⟨U+202E⟩");
    expect(refused).toContain("You refused the call; nothing was changed.");
    expect(refused).not.toContain("different arguments");
    expect(existsSync(join(home, "made.txt"))).toBe(false);
    await answer("\u001b[A\u001b[A\u001b[A\r");
    writeFileSync(join(home, "tenon.yaml"), asks);
    expect(readFileSync(join(home, "made.txt"), "utf8")).toBe("two\u202e\n");
  });

  it("shows a question of a tool and its choices in visible form, and returns the choice as it was", async () => {
    const options = ["plain", "with \u202e mark"];
    const output = await inTerminal(call("ask_user", { question: "Which\u200b?\u001b[2J", options }), [
      { prompt: /Something else/, keys: "\u001b[B\r" },
    ]);
    expect(output).toContain("Which⟨U+200B⟩?⟨ESC⟩[2J");
    expect(output).toContain("with ⟨U+202E⟩ mark");
    expect(output).not.toContain("\u202e");
  });
});

interface Step {
  readonly prompt: RegExp;
  readonly keys: string;
}

const refuse: Step = { prompt: /to navigate/, keys: interrupt };

/** Arguments as JSON in ASCII: a command line cannot carry lone surrogates. */
function call(tool: string, args: object): string[] {
  const json = JSON.stringify(args).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return ["call", tool, json];
}
