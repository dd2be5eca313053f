// A chain is a tool made of tools: each step is a call with all its checks.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon, defineChain } from "tenon";
import * as z from "zod";

const workspace = mkdtempSync(join(tmpdir(), "tenon-chain-"));
writeFileSync(join(workspace, "notes.txt"), "one\ntwo\n");

const backUp = defineChain({
  name: "back_up",
  description: "Copy a file and note its size in an index.",
  input: z.object({ path: z.string() }),
  steps: [
    {
      parallel: [
        { id: "info", tool: "get_file_info", input: { path: "{{ input.path }}" } },
        { id: "text", tool: "read_file", input: { path: "{{ input.path }}" } },
      ],
    },
    {
      id: "copy",
      tool: "write_file",
      when: { value: "{{ steps.info.size }}", lessThan: 1_000_000 },
      input: { path: "{{ input.path }}.bak", content: "{{ steps.text.content }}" },
    },
    {
      id: "line",
      run: ({ input, steps }) => `${input.path}: ${steps["info"].size} bytes\n`,
    },
    {
      id: "index",
      tool: "write_file",
      input: { path: "index.txt", content: "{{ steps.line }}", mode: "append" },
    },
  ],
  result: { copied: "{{ steps.copy.path }}", bytes: "{{ steps.info.size }}" },
});

const tenon = createTenon({ workspace, config: { mode: "auto" }, tools: [backUp] });
const answer = await tenon.call({ name: "back_up", arguments: { path: "notes.txt" } });
assert.deepEqual(answer.result, { copied: "notes.txt.bak", bytes: 8 });
assert.equal(readFileSync(join(workspace, "notes.txt.bak"), "utf8"), "one\ntwo\n");
assert.equal(readFileSync(join(workspace, "index.txt"), "utf8"), "notes.txt: 8 bytes\n");

await tenon.close();
rmSync(workspace, { recursive: true });
