import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Calls with results of 20 kB, of which the last 256 are kept; then what a quick collection leaves of them. */
const program = `
import { createTenon } from ${JSON.stringify(join(import.meta.dirname, "../../../dist/index.js"))};
const tenon = createTenon({ workspace: process.cwd(), config: { audit: { enabled: false } }, tools: [{
  name: "fill", description: "Fill.", category: "custom", annotations: { readOnly: true },
  input: { type: "object" }, execute: () => ({ text: Buffer.alloc(20_000, 97).toString("latin1") }),
}] });
const calls = async (count) => { for (let n = 0; n < count; n++) await tenon.call({ name: "fill" }); };
await calls(300);
gc();
const before = process.memoryUsage().heapUsed;
await calls(1500);
for (let n = 0; n < 3; n++) gc({ type: "minor" });
console.log(Math.round((process.memoryUsage().heapUsed - before) / 1e6));
await tenon.close();
`;

it("leaves nothing of ended calls for a full collection but the answers that are kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-kept-"));
  try {
    writeFileSync(join(folder, "calls.mjs"), program);
    const options = { cwd: folder, env: { ...process.env, TENON_STATE_DIR: join(folder, "state") } };
    const args = ["--expose-gc", join(folder, "calls.mjs")];
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(Number(stdout)).toBeLessThan(15); // all of them would be 30
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
