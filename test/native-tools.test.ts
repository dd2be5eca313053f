import { mkdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture({ config: { tools: { native: ["anthropic", "openai"] } } });
});
afterEach(() => fixture.close());

const textOf = async (name: string, args: object): Promise<string> => {
  const { content } = await fixture.call(name, args);
  return (content[0] as { text: string }).text;
};

describe("native tools", () => {
  it("stand in the place of Tenon's own, with the definitions of their providers", () => {
    const names = fixture.tenon.registry.list().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["str_replace_based_edit_tool", "bash", "memory", "apply_patch", "shell"]),
    );
    for (const replaced of [
      "read_file",
      "write_file",
      "edit_file",
      "multi_edit",
      "apply_diff",
      "shell_exec",
    ]) {
      expect(names).not.toContain(replaced);
    }
    const { registry } = fixture.tenon;
    const typed = (format: "anthropic" | "openai-responses") =>
      (registry.toLLMTools(format) as { type?: string }[]).filter(({ type }) => type);
    expect(typed("anthropic")).toEqual([
      { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
      { type: "bash_20250124", name: "bash" },
      { type: "memory_20250818", name: "memory" },
    ]);
    expect(typed("openai-responses").filter(({ type }) => type !== "function")).toEqual([
      { type: "apply_patch" },
      { type: "shell" },
    ]);
  });
});

describe("hints of the text editor", () => {
  const editor = "str_replace_based_edit_tool";
  const hintOf = async (args: object): Promise<string> => (await fixture.refused(editor, args)).hint ?? "";
  const ownWords = /read_file|write_file|replace_all|start_line|end_line|start_char/;

  it("name its own commands and arguments", async () => {
    fixture.put("a.txt", "one\ntwo\ntwo\n");
    fixture.put("large.txt", `${"x".repeat(99)}\n`.repeat(2000) + "end\n");
    fixture.put("b.bin", Buffer.from([0, 1, 2, 0, 255]));
    const edit = { command: "str_replace", path: "a.txt", old_str: "two", new_str: "2" };
    expect(await hintOf(edit)).toContain('command "view"');
    expect(await hintOf({ ...edit, path: "large.txt", old_str: "end" })).toContain("view_range [2001, 2001]");
    expect(
      await hintOf({ command: "insert", path: "large.txt", insert_line: 5, insert_text: "x" }),
    ).toContain("view_range [5, 6]");
    expect(await hintOf({ command: "create", path: "a.txt", file_text: "x" })).toContain('command "view"');
    await fixture.ok(editor, { command: "view", path: "a.txt" });
    expect(await hintOf({ command: "view", path: "a.txt", view_range: [9, 10] })).toContain("view_range");
    const hints = [
      await hintOf(edit),
      await hintOf({ ...edit, path: "b.bin" }),
      await hintOf({ command: "view", path: "a.txt", view_range: [9, 10] }),
      await hintOf({ ...edit, path: "large.txt", old_str: "x" }),
    ];
    for (const hint of hints) expect(hint).not.toMatch(ownWords);
  });

  it("are not needed for arguments that other tools name differently", async () => {
    await fixture.ok(editor, { command: "create", path: "new.txt", content: "a\n" });
    expect(fixture.text("new.txt")).toBe("a\n");
    await fixture.ok(editor, { command: "insert", path: "new.txt", insert_line: 1, text: "b" });
    expect(fixture.text("new.txt")).toBe("a\nb\n");
    expect(await fixture.ok("shell", { command: "echo hi" })).toMatchObject({ output: [{ stdout: "hi\n" }] });
    expect(await fixture.ok("shell", { action: { commands: ["echo hi"] } })).toMatchObject({
      output: [{ stdout: "hi\n" }],
    });
    const words = ["bash", "-lc", "echo 'a  b'; exit 3"];
    for (const call of [{ command: words }, { action: { type: "exec", command: words } }]) {
      expect(await fixture.ok("shell", call)).toEqual({
        output: [{ stdout: "a  b\n", stderr: "", outcome: { type: "exit", exit_code: 3 } }],
      });
    }
    expect(await fixture.ok("bash", { command: ["echo", "a  b"] })).toMatchObject({ stdout: "a  b\n" });
    expect(await fixture.refused("bash", { command: "echo", timeout: 5 })).toMatchObject({
      hint: expect.stringContaining("tools.perTool.bash.timeout"),
    });
  });
});

describe("a session's native tools", () => {
  const namesOf = (native?: ("anthropic" | "openai")[]) => {
    const session = fixture.tenon.createSession(native === undefined ? {} : { native });
    return { session, names: session.tools().map(({ name }) => name) };
  };

  it("are those of the providers that it names, with Tenon's own in the place of the others", async () => {
    const claude = namesOf(["anthropic"]);
    expect(claude.names).toContain("bash");
    expect(claude.names).not.toContain("shell");
    expect(claude.names).not.toContain("read_file");
    const definitions = claude.session.toLLMTools("openai-responses").tools;
    expect(definitions).not.toContainEqual({ type: "apply_patch" });

    const plain = namesOf([]);
    expect(plain.names).toEqual(
      expect.arrayContaining(["apply_patch", "edit_file", "read_file", "shell_exec"]),
    );
    for (const native of ["bash", "shell", "memory", "str_replace_based_edit_tool"])
      expect(plain.names).not.toContain(native);
    expect(plain.session.descriptions().filter(({ native }) => native !== undefined)).toEqual([]);

    const patch = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch";
    expect(await plain.session.call({ name: "apply_patch", arguments: { patch } })).toSucceed();
    const operation = { type: "delete_file", path: "new.txt" };
    expect(await plain.session.call({ name: "apply_patch", arguments: { operation } })).toFailWith(
      "ARGUMENTS_INVALID",
    );
    expect(await plain.session.call({ name: "memory", arguments: {} })).toFailWith("TOOL_NOT_FOUND");
    // Another host's name for Tenon's own tool.
    expect(await plain.session.call({ name: "bash", arguments: { command: "echo hi" } })).toSucceed({
      toolName: "shell_exec",
    });
    const gpt = namesOf(["openai"]);
    expect(await gpt.session.call({ name: "apply_patch", arguments: { operation } })).toSucceed();
  });

  it("are all that are configured by default, and none that is not", () => {
    expect(namesOf().names).toEqual(expect.arrayContaining(["bash", "shell"]));
    expect(() => fixture.tenon.createSession({ native: ["google" as "openai"] })).toThrow(
      /native tools of "google" are not configured/,
    );
  });
});

describe("str_replace_based_edit_tool", () => {
  const edit = (command: string, more: object = {}) =>
    fixture.call("str_replace_based_edit_tool", { command, path: "a.txt", ...more });

  beforeEach(() => fixture.put("a.txt", "one\r\ntwo\r\n"));

  it("views, edits, inserts and creates through the guarded tools", async () => {
    expect((await edit("str_replace", { old_str: "one", new_str: "1" })).error?.code).toBe("EDIT_NOT_READ");
    const view = await edit("view");
    expect(view.toolName).toBe("read_file");
    expect(view.result).toEqual({
      output: "Here's the result of running `cat -n` on a.txt:\n     1\tone\n     2\ttwo",
    });
    expect(await edit("str_replace", { old_str: "one", new_str: "1" })).toMatchObject({
      toolName: "edit_file",
      success: true,
    });
    expect(await edit("insert", { insert_line: 1, insert_text: "mid" })).toSucceed();
    expect(await edit("insert", { insert_line: 0, new_str: "top\n" })).toSucceed();
    expect(fixture.text("a.txt")).toBe("top\r\n1\r\nmid\r\ntwo\r\n");
    expect(await edit("undo_edit")).toSucceed();
    expect(fixture.text("a.txt")).toBe("1\r\nmid\r\ntwo\r\n");
    await edit("create", { path: "new.txt", file_text: "x" });
    expect(fixture.text("new.txt")).toBe("x");
  });

  it.each([
    ["a view beyond the end", "view", { view_range: [9, 10] }, /^Line 9 is beyond the end/],
    ["a reversed range", "view", { view_range: [2, 1] }, /Invalid `view_range`/],
    [
      "an insertion beyond the end",
      "insert",
      { insert_line: 9, insert_text: "x" },
      /Invalid `insert_line` parameter: 9.*\[0, 2\]/,
    ],
    ["an insertion before the beginning", "insert", { insert_line: -1, insert_text: "x" }, /\[0, 2\]/],
    ["a missing parameter", "create", {}, /Parameter `file_text` is required for command: create/],
    ["a path outside", "view", { path: "../x" }, /outside|workspace/],
  ])("refuses %s", async (_what, command, more, message) => {
    await edit("view");
    expect((await edit(command, more)).error?.message).toMatch(message);
  });

  it("is judged by rules about the tools that it stands for", async () => {
    await fixture.reopen({
      config: {
        tools: { native: ["anthropic"] },
        policy: { rules: [{ decision: "deny", tool: "edit_file" }] },
      },
    });
    await edit("view");
    expect((await edit("str_replace", { old_str: "one", new_str: "1" })).error?.type).toBe(
      "ToolPermissionError",
    );
    expect((await edit("insert", { insert_line: 0, insert_text: "x" })).error?.type).toBe(
      "ToolPermissionError",
    );
  });
});

describe("bash", () => {
  it("keeps folder and variables until restart", async () => {
    mkdirSync(fixture.path("sub"));
    const out = async (command: string) => (await fixture.ok("bash", { command }))["stdout"];
    expect(await out("cd sub; X=5; export Y='a b'; echo hi")).toBe("hi\n");
    expect(await out('pwd; echo "$X $Y"')).toBe(`${fixture.path("sub")}\n5 a b\n`);
    expect(await fixture.ok("bash", { command: "cd / ; exit 3" })).toMatchObject({ exitCode: 3 });
    expect(await out("pwd")).toBe(`${fixture.path("sub")}\n`);
    expect(await textOf("bash", { restart: true })).toContain("restarted");
    expect(await out('pwd; echo "[$X]"')).toBe(`${fixture.workspace}\n[]\n`);
    expect((await fixture.refused("bash", {})).message).toBe("no command provided.");
  });

  it("applies a patch in its current folder", async () => {
    mkdirSync(fixture.path("sub"));
    await fixture.ok("bash", { command: "cd sub" });
    const patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n";
    expect(await fixture.ok("bash", { command: `apply_patch <<'EOF'\n${patch}EOF` })).toMatchObject({
      exitCode: 0,
    });
    expect(fixture.text("sub/a.txt")).toBe("one\n");
  });
});

describe("memory", () => {
  const run = (args: object) => textOf("memory", args);

  it("keeps files below /memories, also after a restart", async () => {
    expect(await run({ command: "create", path: "/memories/a/b.md", file_text: "hello\nworld\n" })).toBe(
      "File created successfully at: /memories/a/b.md",
    );
    await fixture.reopen();
    expect(await run({ command: "view", path: "/memories/a/b.md" })).toBe(
      "Here's the content of /memories/a/b.md with line numbers:\n     1\thello\n     2\tworld",
    );
    expect(await run({ command: "view", path: "/memories" })).toBe(
      [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:",
        "12B\t/memories",
        "12B\t/memories/a",
        "12B\t/memories/a/b.md",
      ].join("\n"),
    );
    expect(
      await run({ command: "str_replace", path: "/memories/a/b.md", old_str: "world", new_str: "all" }),
    ).toMatch(/^The memory file has been edited\./);
    expect(
      await run({ command: "insert", path: "/memories/a/b.md", insert_line: 1, insert_text: "mid\n" }),
    ).toBe("The file /memories/a/b.md has been edited.");
    expect(await run({ command: "rename", old_path: "/memories/a", new_path: "/memories/c" })).toBe(
      "Successfully renamed /memories/a to /memories/c",
    );
    expect(await run({ command: "view", path: "/memories/c/b.md" })).toMatch(/1\thello\n.*2\tmid\n.*3\tall$/);
    expect(await run({ command: "delete", path: "/memories/c" })).toBe("Successfully deleted /memories/c");
  });

  it.each([
    [{ command: "view", path: "/memories/../x" }, /outside of \/memories/],
    [{ command: "create", path: "/memories/%2e%2e/x", file_text: "" }, /outside/],
    [{ command: "create", path: "/memories/%252e%252e%255cx", file_text: "" }, /outside/],
    [{ command: "create", path: "/memories/\u2024\u2024/x", file_text: "" }, /outside/],
    [{ command: "create", path: "/memories/\uFF0E\uFF0E\uFF0Fx", file_text: "" }, /outside/],
    [{ command: "create", path: "/memories/\u2025/x", file_text: "" }, /outside/],
    [{ command: "create", path: "/memories/..\u2215x", file_text: "" }, /outside/],
    [{ command: "create", path: "/memories/.\u200B./x", file_text: "" }, /outside/],
    [{ command: "view", path: "/etc/passwd" }, /outside/],
    [{ command: "view", path: "/memories/none" }, /The path \/memories\/none does not exist/],
    [
      { command: "create", path: "/memories/there", file_text: "x" },
      /Error: File \/memories\/there already exists/,
    ],
    [
      { command: "str_replace", path: "/memories/there", old_str: "q", new_str: "" },
      /No replacement was performed, old_str `q` did not appear verbatim/,
    ],
    [
      { command: "str_replace", path: "/memories/there", old_str: "a", new_str: "" },
      /Multiple occurrences of old_str `a` in lines: 1, 2/,
    ],
    [{ command: "insert", path: "/memories/there", insert_line: 7, insert_text: "x" }, /\[0, 2\]/],
    [{ command: "delete", path: "/memories" }, /Cannot delete/],
    [{ command: "rename", old_path: "/memories/there", new_path: "/memories/other" }, /already exists/],
  ])("refuses %j", async (args, message) => {
    await run({ command: "create", path: "/memories/there", file_text: "a\na\n" });
    await run({ command: "create", path: "/memories/other", file_text: "" });
    expect((await fixture.refused("memory", args)).message).toMatch(message);
  });
});

describe("OpenAI's tools", () => {
  it("apply_patch takes one operation at a time, or a whole patch", async () => {
    const operate = (operation: object) => fixture.call("apply_patch", { operation });
    expect(
      (await operate({ type: "create_file", path: "g.py", diff: "+def f():\n+    pass\n" })).success,
    ).toBe(true);
    const diff = "@@ def f():\n-    pass\n+    return 1\n";
    expect(await operate({ type: "update_file", path: "g.py", diff })).toSucceed();
    expect(fixture.text("g.py")).toBe("def f():\n    return 1\n");
    expect((await operate({ type: "update_file", path: "g.py", diff })).error?.code).toBe(
      "EDIT_OLD_STR_MISSING",
    );
    expect(await operate({ type: "delete_file", path: "g.py" })).toSucceed();
    expect((await fixture.refused("apply_patch", {})).message).toMatch(/either operation or patch/);
  });

  it("shell runs commands one after the other, each with its outcome", async () => {
    expect(await fixture.ok("shell", { commands: ["echo a", "exit 2"], max_output_length: 100 })).toEqual({
      output: [
        { stdout: expect.stringMatching(/^a\n?$/), stderr: "", outcome: { type: "exit", exit_code: 0 } },
        { stdout: "", stderr: "", outcome: { type: "exit", exit_code: 2 } },
      ],
      max_output_length: 100,
    });
    const slow = await fixture.ok("shell", { commands: ["sleep 30"], timeout_ms: 300 });
    expect(slow["output"]).toMatchObject([{ outcome: { type: "timeout" } }]);
  });
});
