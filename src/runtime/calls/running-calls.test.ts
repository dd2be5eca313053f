import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ReceivedCall } from "../../call/receive.js";
import { ToolCancelledError } from "../../contract/errors.js";
import { RunningCalls } from "./running-calls.js";

/** As much of a call as is looked at here. */
function fakeCall(): ReceivedCall & { readonly reasons: unknown[] } {
  const reasons: unknown[] = [];
  return { reasons, state: { abort: (reason: unknown) => reasons.push(reason) } } as never;
}

describe("running calls", () => {
  it("are waited for, and cancelled after the grace", async () => {
    const running = new RunningCalls();
    const call = fakeCall();
    running.enter(call);
    const ended = running.end(10);
    await expect.poll(() => call.reasons).toEqual([expect.any(ToolCancelledError)]);
    running.leave(call);
    await ended;
  });

  it("wait for no grace that is no number", async () => {
    for (const graceMs of [Number.NaN, -1, 0]) {
      const running = new RunningCalls();
      const call = fakeCall();
      running.enter(call);
      const ended = running.end(graceMs);
      await expect.poll(() => call.reasons.length).toBe(1);
      running.leave(call);
      await ended;
    }
  });

  it("have chores waited for, and one that fails is told, not left unhandled", async () => {
    const running = new RunningCalls();
    const log: string[] = [];
    running.addChore(Promise.reject(new Error("disk full")));
    running.addChore(new Promise((resolve) => setTimeout(resolve, 5)).then(() => log.push("done")));
    await running.end(0);
    expect(log).toEqual(["done"]);
    expect(running.fault?.message).toBe("disk full");
  });

  it("try the start again where it failed", async () => {
    const running = new RunningCalls();
    let tries = 0;
    running.startWith(() => (++tries === 1 ? Promise.reject(new Error("busy")) : Promise.resolve()));
    expect((await running.starting)?.message).toBe("busy");
    expect(await running.starting).toBeUndefined();
    expect(running.starting).toBeUndefined();
    expect(tries).toBe(2);
  });

  it("keep the process alive until they are answered, and no longer", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-running-"));
    const script = join(folder, "hold.ts");
    writeFileSync(
      script,
      `import { RunningCalls } from ${JSON.stringify(join(import.meta.dirname, "running-calls.ts"))};
      const running = new RunningCalls();
      const call = { callId: "one", state: { abort() {} } };
      running.enter(call);
      setTimeout(() => { console.log("answered"); running.leave(call); }, 300).unref();`,
    );
    try {
      const jiti = join(import.meta.dirname, "../../../node_modules/.bin/jiti");
      const { stdout } = await promisify(execFile)(process.execPath, [jiti, script], { timeout: 25_000 });
      expect(stdout).toBe("answered\n");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
