// A command is a transaction: it can be seen before it counts, and taken back.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "tenon-transaction-"));
const notes = join(workspace, "notes.txt");
writeFileSync(notes, "one\n");

const shown: string[] = [];
const tenon = createTenon({
  workspace,
  config: { mode: "ask", shell: { askAfter: true } },
  interact: {
    // The command has run on a layer: this is what it changed.
    approve: ({ preview }) => {
      shown.push(preview?.diff ?? "");
      return { verdict: "once" };
    },
  },
});

// A dry run changes nothing, and asks nobody.
const dry = await tenon.call("shell_exec", { command: "rm notes.txt", dry_run: true });
if (dry.success) {
  assert.deepEqual(dry.result.changes, [{ path: "notes.txt", kind: "removed", added: 0, removed: 1 }]);
  assert.equal(existsSync(notes), true);
  await tenon.call("discard_result", { call_id: dry.callId });

  const done = await tenon.call("shell_exec", { command: "echo two >>notes.txt" });
  assert.equal(done.result?.committed, "all");
  assert.match(shown[0] ?? "", /\+two/);
  assert.equal(readFileSync(notes, "utf8"), "one\ntwo\n");

  await tenon.undo({ callId: done.callId });
  assert.equal(readFileSync(notes, "utf8"), "one\n");
} else {
  // Layers need Linux and bubblewrap.
  assert.equal(dry.error.code, "SANDBOX_UNAVAILABLE");
}

await tenon.close();
rmSync(workspace, { recursive: true });
