// 100,000 calls that wait at once: memory and time.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  let open = () => {};
  const gate = new Promise((resolve) => (open = resolve));
  const wait = defineTool({
    name: "wait",
    description: "Wait for the gate.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({ n: z.number() }),
    execute: () => gate,
  });
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: `${root}-state`, tools: { maxQueued: 100_000 } },
    tools: [wait],
  });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const calls = Array.from({ length: 100_000 }, (_, n) => tenon.call({ name: "wait", arguments: { n } }));
  const queued = performance.now();
  const { waiting } = tenon.stats();
  const grown = (process.memoryUsage().heapUsed - before) / 1e6;
  open();
  const answers = await Promise.all(calls);
  const done = performance.now();
  const failed = answers.filter((answer) => !answer.success).length;
  console.log("\n## 100,000 queued calls\n");
  console.log(`waiting at once ${waiting}, failed ${failed}`);
  console.log(`heap grown by ${grown.toFixed(0)} MB: ${((grown * 1e6) / 100_000).toFixed(0)} bytes a call`);
  console.log(`queued in ${(queued - started).toFixed(0)} ms, drained in ${(done - queued).toFixed(0)} ms`);
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
}
