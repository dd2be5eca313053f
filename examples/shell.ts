// A shell line is judged command by command: reading runs unasked, harm is refused, the rest asks.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "tenon-shell-"));
writeFileSync(join(workspace, "notes.txt"), "one\ntwo\n");

const asked: string[] = [];
const tenon = createTenon({
  workspace,
  interact: {
    approve: ({ toolName }) => {
      asked.push(toolName);
      return { verdict: "once" };
    },
  },
});

const made = await tenon.call({ name: "shell_exec", arguments: { command: "echo three >> notes.txt" } });
assert.equal(made.success, true, made.error?.message);
assert.deepEqual(asked, ["shell_exec"]);

const read = await tenon.call({ name: "shell_exec", arguments: { command: "wc -l notes.txt | cat" } });
assert.equal((read.result as { stdout: string }).stdout.trim(), "3 notes.txt");

const harm = await tenon.call({ name: "shell_exec", arguments: { command: "echo ok; rm -rf ~" } });
assert.equal(harm.error?.type, "ToolPermissionError");

await tenon.close();
rmSync(workspace, { recursive: true });
