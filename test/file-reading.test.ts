import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTenon, type Tenon, type TenonOptions } from "../src/index.js";

let root: string;
let workspace: string;
let tenon: Tenon;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-reading-"));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
});
afterEach(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

function open(options: TenonOptions = {}): void {
  tenon = createTenon({
    workspace,
    ...options,
    config: { stateDir: join(root, "state"), mode: "auto", ...options.config },
  });
}

const put = (path: string, text = "x"): void => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
};
const call = (name: string, args: object, more: object = {}) =>
  tenon.call({ name, arguments: args, ...more });

describe("reading files through the runtime", () => {
  it("answers with the envelope and numbered lines, by any of its names", async () => {
    put("a.ts", "const a = 1;\nconst b = 2;\n");
    open();
    for (const name of ["read_file", "file_read"]) {
      const answer = await call(name, { path: "a.ts", start_line: 2 });
      expect(answer).toSucceed({ toolName: "read_file", result: { totalLines: 2 } });
      expect(answer.content).toEqual([{ type: "text", text: "2\tconst b = 2;\n[Lines 2-2 of 2.]" }]);
    }
  });

  it("reads ranges of a large file and skims it", async () => {
    put("large.txt", Array.from({ length: 40_000 }, (_, at) => `line ${at + 1}`).join("\n"));
    open();
    const range = await call("read_file", { path: "large.txt", start_line: 39_999, end_line: 40_000 });
    expect(range).toSucceed({ result: { content: "line 39999\nline 40000", totalLines: 40_000 } });
    const skimmed = await call("read_file_truncated", { path: "large.txt", max_chars: 300 });
    expect(skimmed).toSucceed({ result: { kind: "excerpt", truncated: true } });
  });

  it("lets an edit follow what was read, and only that", async () => {
    put("a.txt", "one\ntwo\n");
    put("b.txt", "one\n");
    open();
    await call("read_file", { path: "a.txt" });
    const edit = { old_str: "one", new_str: "1" };
    expect(await call("edit_file", { path: "a.txt", ...edit })).toSucceed();
    expect(await call("edit_file", { path: "b.txt", ...edit })).not.toSucceed();
  });

  it.each([
    ["../x", /PATH_TRAVERSAL/],
    ["/etc/passwd", /PATH_OUTSIDE/],
    ["missing", /RESOURCE_NOT_FOUND/],
    ["a\0b", /PATH_INVALID|ARGUMENTS/],
  ])("refuses %j", async (path, code) => {
    open();
    for (const name of ["read_file", "read_file_truncated", "read_file_with_limit", "list_files"]) {
      const answer = await call(name, { path });
      expect(answer).not.toSucceed();
      expect(answer).toFailWith(code);
    }
  });

  it("shows and opens nothing that a rule of the policy denies", async () => {
    for (const path of ["a.txt", "secrets/key", "deep/secrets/key", ".env"]) put(path);
    symlinkSync("secrets/key", join(workspace, "alias"));
    open({
      config: {
        policy: { rules: [{ decision: "deny", path: ["**/secrets/**", ".env"], reason: "private" }] },
      },
    });
    const listed = await call("list_files", { recursive: true });
    const { files } = listed.result as { files: { path: string }[] };
    expect(files.map((file) => file.path)).toEqual(["a.txt", "alias", "deep"]);
    for (const path of ["secrets/key", ".env", "alias"]) {
      const answer = await call("read_file", { path });
      expect(answer).not.toSucceed();
      expect(answer).toFailWith(/ACCESS_DENIED|PATH_FORBIDDEN/);
    }
    expect(await call("read_file", { path: "deep" })).toSucceed({ result: { content: "" } });
  });

  it("streams what list_files finds, and reads in a task only so often", async () => {
    for (let at = 0; at < 3; at += 1) put(`f${at}`);
    open({ config: { tools: { perTool: { read_file_with_limit: { custom: { maxCalls: 2 } } } } } });
    const types: string[] = [];
    for await (const item of tenon.stream({ name: "list_files", arguments: {} })) types.push(item.type);
    expect(types).toContain("TOOL_CALL_PROGRESS");
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call("read_file_with_limit", { path: "f0" }, { taskId: "t" })),
    );
    expect(answers.map((answer) => answer.error?.code ?? "read").sort()).toEqual([
      "QUOTA_SPENT",
      "QUOTA_SPENT",
      "QUOTA_SPENT",
      "read",
      "read",
    ]);
  });

  it("counts nothing as seen that the budget for the text cut away", async () => {
    put("a.txt", Array.from({ length: 500 }, (_, at) => `line ${at + 1}`).join("\n"));
    open({ maxTextChars: 2000 });
    const answer = await call("read_file", { path: "a.txt" });
    const [part] = answer.content;
    const text = part?.type === "text" ? part.text : "";
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text).not.toContain("left out");
    const edit = { path: "a.txt", old_str: "line 499", new_str: "changed" };
    expect(await call("edit_file", edit)).not.toSucceed();
  });
});
