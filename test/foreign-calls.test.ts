import { afterEach, beforeEach, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
  fixture.put("a.txt", "one\ntwo\nthree\n");
});
afterEach(() => fixture.close());

it.each<[string, object, string, object]>([
  ["Read", { file_path: "a.txt", offset: 2, limit: 1 }, "read_file", { startLine: 2, endLine: 2 }],
  ["cat", { filePath: "a.txt" }, "read_file", { totalLines: 3 }],
  ["read_file", { target_file: "a.txt", offset: 3 }, "read_file", { startLine: 3 }],
  ["str_replace_editor", { command: "view", path: "a.txt", view_range: [1, 2] }, "read_file", { endLine: 2 }],
  ["Write", { file_path: "b.txt", content: "x" }, "write_file", { created: true }],
  ["create_file", { path: "c.txt", contents: "x" }, "write_file", { created: true }],
  [
    "Grep",
    { pattern: "TWO", "-i": true, output_mode: "files_with_matches", head_limit: 5 },
    "grep",
    { total: 1 },
  ],
  ["search_files", { regex: "two", path: "." }, "grep", { total: 1 }],
  ["Glob", { pattern: "*.txt" }, "glob", { total: 1 }],
  ["LS", { path: "." }, "list_files", { path: "." }],
  ["Bash", { command: "echo hi", description: "Say hi" }, "shell_exec", { stdout: "hi\n" }],
  ["run_terminal_cmd", { cmd: "echo hi", is_background: false }, "shell_exec", { exitCode: 0 }],
])("carries out %s %j as Tenon's own tool", async (name, args, tool, result) => {
  const answer = await fixture.call(name, args);
  expect(answer.error).toBeUndefined();
  expect(answer).toMatchObject({ toolName: tool, success: true, result });
});

it("edits with the names of other hosts", async () => {
  await fixture.ok("Read", { file_path: "a.txt" });
  await fixture.ok("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  const edits = [{ old_string: "two", new_string: "2" }];
  expect(await fixture.call("MultiEdit", { file_path: "a.txt", edits })).toMatchObject({
    toolName: "multi_edit",
  });
  expect(fixture.text("a.txt")).toBe("1\n2\nthree\n");
});

it("names the right tool where none means the same", async () => {
  expect((await fixture.refused("TodoWrite", { todos: [] })).hint).toMatch(/create_task/);
  expect((await fixture.refused("str_replace_editor", { command: "insert", path: "a.txt" })).hint).toMatch(
    /apply_patch/,
  );
});

it("is judged as the real tool, and still refuses unknown arguments", async () => {
  await fixture.reopen({ config: { policy: { rules: [{ decision: "deny", tool: "read_file" }] } } });
  expect((await fixture.refused("Read", { file_path: "a.txt" })).type).toBe("ToolPermissionError");
  expect((await fixture.refused("Glob", { pattern: "*", shade: "red" })).message).toMatch(/shade/);
});
