import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkInvariants } from "../scripts/check-invariants.mjs";
import { createFixture, open, type Fixture } from "./spine-fixture.js";

interface Answer {
  readonly session: string;
  readonly callId: string;
  readonly success: boolean;
}

const program = join(import.meta.dirname, "killed-child.mjs");

/** Let a process work, kill it at an arbitrary moment after some answers, and tell what it answered. */
function killOne({ workspace, stateDir }: Fixture, durability: string): Promise<Answer[]> {
  const child = spawn(process.execPath, [program, workspace, stateDir, durability], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const enough = 200 + Math.random() * 2000;
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    if (text.length > enough) setTimeout(() => child.kill("SIGKILL"), Math.random() * 5);
  });
  return new Promise((done, fail) => {
    child.on("error", fail).on("close", (code, signal) => {
      if (signal !== "SIGKILL") fail(new Error(`The child ended by itself with ${code}.`));
      // A last line without its end was not said.
      else
        done(
          text
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line) as Answer),
        );
    });
  });
}

describe("processes that are killed at work", () => {
  it.each([
    ["default", 16],
    ["strict", 4],
  ])(
    "leave no effect without a record (durability: %s, %i kills)",
    { timeout: 180_000 },
    async (durability, kills) => {
      const fixture = createFixture();
      const answers: Answer[] = [];
      for (let round = 0; round < kills; round += 4) {
        const ends = await Promise.all(Array.from({ length: 4 }, () => killOne(fixture, durability)));
        answers.push(...ends.flat());
      }
      const tenon = open({}, fixture);
      const sessions = new Set(answers.map(({ session }) => session));
      const order = [...sessions].map((name) =>
        answers.filter(({ session }) => session === name).map(({ callId }) => callId),
      );
      const effects = readdirSync(join(fixture.workspace, "effects"));
      expect(await checkInvariants(tenon, { acknowledged: answers, effects, order })).toEqual([]);
      const interrupted = await tenon.audit.search({ outcome: "interrupted", limit: 1000 });
      expect(interrupted.length).toBeGreaterThan(0);
      expect(interrupted[0]).toMatchObject({
        start: expect.any(Number) as number,
        error: { code: "CALL_INTERRUPTED" },
        effects: { files: expect.any(Array) as unknown[] },
      });
      // Each of them is closed once, however often the log is opened.
      await tenon.close();
      const again = await open({}, fixture).audit.search({ outcome: "interrupted", limit: 1000 });
      expect(again).toHaveLength(interrupted.length);
    },
  );
});
