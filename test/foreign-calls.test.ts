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
  ["str_replace_editor", { command: "view", path: "a.txt", view_range: null }, "read_file", {}],
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
  ["local_shell", { action: { type: "exec", command: ["echo", "hi"] } }, "shell_exec", { stdout: "hi\n" }],
  ["read_text_file", { path: "a.txt", head: 2 }, "read_file", { startLine: 1, endLine: 2 }],
  ["read_text_file", { path: "a.txt", tail: 1 }, "read_file", { startLine: 3, endLine: 3 }],
  ["grep_files", { pattern: "two", include: "*.txt" }, "grep", { total: 1 }],
  ["search_dir", { search_term: "two" }, "grep", { total: 1 }],
  ["find_by_name", { Pattern: "*.txt", SearchDirectory: "." }, "glob", { total: 1 }],
  ["find_path", { glob: "*.txt" }, "glob", { total: 1 }],
  ["find", { path: ".", name: "*.txt" }, "glob", { total: 1 }],
  ["tools.list", { path: "." }, "list_files", { path: "." }],
  ["write_to_file", { TargetFile: "d.txt", CodeContent: "x" }, "write_file", { created: true }],
  ["terminal", { command: "echo hi", cd: "." }, "shell_exec", { stdout: "hi\n" }],
  ["copy_path", { source_path: "a.txt", destination_path: "e.txt" }, "copy_file", { success: true }],
  ["move_path", { source_path: "a.txt", destination_path: "f.txt" }, "move_file", { success: true }],
  ["delete_path", { path: "a.txt" }, "delete_file", { deleted: true }],
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

it.each<[string, unknown, string, object]>([
  ["readFile", { file_path: "a.txt" }, "read_file", { totalLines: 3 }],
  ["functions.read_file", { path: "a.txt" }, "read_file", { totalLines: 3 }],
  [
    "read_file",
    {
      target_file: "a.txt",
      should_read_entire_file: true,
      end_line_one_indexed_inclusive: 1,
      explanation: "x",
    },
    "read_file",
    { endLine: 3 },
  ],
  ["write_to_file", { path: "b.txt", content: "x", line_count: 1 }, "write_file", { created: true }],
  [
    "Grep",
    { pattern: "TWO", "-n": true, "-A": 2, "-B": 1, case_sensitive: false, output_mode: "content" },
    "grep",
    { lines: [{ line: 1 }, { line: 2 }, { line: 3 }] },
  ],
  ["grep_search", { query: "t.o", isRegexp: false, includePattern: "*.txt" }, "grep", { total: 0 }],
  ["list_dir", { target_directory: "." }, "list_files", { path: "." }],
  ["shell", { command: ["bash", "-lc", "echo $((1+1))"], timeout_ms: 9000 }, "shell_exec", { stdout: "2\n" }],
  ["local_shell", { command: ["echo", "a  b"] }, "shell_exec", { stdout: "a  b\n" }],
  ["exec_command", { cmd: "pwd", workdir: ".", yield_time_ms: 1000 }, "shell_exec", { exitCode: 0 }],
  ["apply_patch", "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch", "apply_patch", {}],
  ["applypatch", { input: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" }, "apply_patch", {}],
])("understands %s %j, which other hosts spell in their own way", async (name, args, tool, result) => {
  const answer = await fixture.call(name, args as object);
  expect(answer.error).toBeUndefined();
  expect(answer).toMatchObject({ toolName: tool, success: true, result });
});

it.each([
  ["NotebookRead", "a.txt"],
  ["view_image", "a.txt"],
])("reads with %s", async (name, path) => {
  expect(await fixture.ok(name, { notebook_path: path })).toMatchObject({ totalLines: 3 });
});

it.each([
  ["todo_write", /create_task/],
  ["replace_in_file", /edit_file/],
  ["read_many_files", /read_file/],
  ["directory_tree", /list_files/],
  ["attempt_completion", /plain text/],
])("says what to call instead of %s", async (name, hint) => {
  expect((await fixture.refused(name, {})).hint).toMatch(hint);
});

it("names only the arguments that it does not understand, and what to pass instead", async () => {
  const error = await fixture.refused("Grep", {
    pattern: "x",
    output_mode: "content",
    "-C": 1,
    type: "ts",
    zz: 1,
  });
  expect(error.message).toBe(
    'Invalid arguments for "grep": Unknown argument "type". Known: pattern, path, glob, mode, context, ignore_case, multiline, limit, offset; Unknown argument "zz"',
  );
  expect(error.hint).toBe('Use "glob", such as "*.ts", for a type of file.');
  expect((await fixture.refused("replace", { file_path: "a.txt", expected_replacements: 2 })).hint).toMatch(
    /replace_all/,
  );
});

it.each([{ duration_ms: 100 }, { ms: 100 }, { seconds: 1 }])(
  "says that sleep takes seconds: %j",
  async (args) => {
    const error = await fixture.refused("sleep", args);
    expect(error.message).not.toContain("Did you mean");
    expect(error.hint).toBe('Use "duration", which is in seconds.');
  },
);

it("refuses two names for one argument, and what only other tools explain", async () => {
  expect((await fixture.refused("read_file", { file_path: "a.txt", filePath: "b.txt" })).message).toMatch(
    /"filePath"/,
  );
  expect((await fixture.refused("current_time", { explanation: "x" })).message).toMatch(/"explanation"/);
});

it.each<[string, object, RegExp]>([
  ["Read", { file_path: "a.txt", lines: "1-2" }, /"start_line" and "end_line"/],
  ["Read", { file_path: "a.txt", pages: "1" }, /"start_line"/],
  ["Glob", { patterns: ["*.ts"] }, /"pattern" with braces/],
  ["Grep", { pattern: "x", files_with_matches: true }, /mode: "files"/],
  ["codebase_search", { query: "x", target_directories: ["src"] }, /"path"/],
  ["WebSearch", { query: "x", allowed_domains: ["a.org"] }, /"query"/],
  ["list_directory", { dir_path: ".", file_filtering_options: {} }, /"include_ignored"/],
  ["rename", { path: "a.txt", new_name: "b.txt" }, /"move_file"/],
  ["write_todos", { todos: [] }, /"create_task"/],
  ["new_task", { message: "x" }, /no other agents/],
  ["print_tree", { path: "." }, /"list_files"/],
  ["list_directory_with_sizes", { path: "." }, /"list_files"/],
  ["list_allowed_directories", {}, /within the workspace/],
  ["multi_tool_use.parallel", { tool_uses: [] }, /several of them in one message/],
  ["manage_todo_list", {}, /"create_task"/],
  ["replace_file_content", { TargetFile: "a.txt" }, /"edit_file"/],
  ["get_current_time", {}, /"current_time"/],
  ["curl", { url: "https://example.org" }, /"http_get"/],
  ["sed", {}, /"edit_file"/],
  ["search_files", { pattern: "x", excludePatterns: [] }, /"glob"/],
  ["webfetch", { url: "https://example.org", format: "html" }, /"http_get"/],
  ["get_changed_files", {}, /"shell_exec"/],
])("names what to use instead of %s %j", async (name, args, hint) => {
  expect((await fixture.refused(name, args)).hint).toMatch(hint);
});
