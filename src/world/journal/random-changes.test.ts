import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../contract/errors.js";
import type { FileMutation } from "../../contract/ports/files.js";
import { openWorld, origin } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

const names = ["a", "b", "c", "d"];
const path = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"));
const data = fc.uint8Array({ maxLength: 20 });
const mode = fc.constantFrom(0o600, 0o644, 0o755, 0o700);

const mutation: fc.Arbitrary<FileMutation> = fc.oneof(
  fc.record({ op: fc.constant("write" as const), path, data }),
  fc.record({ op: fc.constant("write" as const), path, data, options: fc.record({ mode }) }),
  fc.record({ op: fc.constant("append" as const), path, data }),
  fc.record({ op: fc.constant("delete" as const), path, recursive: fc.boolean() }),
  fc.record({ op: fc.constant("move" as const), from: path, to: path, overwrite: fc.boolean() }),
  fc.record({ op: fc.constant("copy" as const), from: path, to: path, overwrite: fc.boolean() }),
  fc.record({ op: fc.constant("mkdir" as const), path }),
);

const calls = fc.array(fc.array(mutation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });

function plant(root: string): void {
  mkdirSync(join(root, "a/b"), { recursive: true });
  mkdirSync(join(root, "c"));
  writeFileSync(join(root, "a/b/c"), "abc", { mode: 0o600 });
  writeFileSync(join(root, "a/d"), "ad", { mode: 0o755 });
  writeFileSync(join(root, "d"), "d");
}

describe("any sequence of changes", () => {
  it(
    "is undone step by step to the first state, byte for byte with modes",
    { timeout: 300_000 },
    async () => {
      let applied = 0;
      await fc.assert(
        fc.asyncProperty(calls, async (sets) => {
          const base = tempDir("random");
          const world = await openWorld(base);
          try {
            plant(world.root);
            const states: { callId: string; before: Record<string, string> }[] = [];
            for (const [n, set] of sets.entries()) {
              const before = snapshot(world.root);
              try {
                await world.journal.apply(set, origin(`c${n}`, "task"));
                states.push({ callId: `c${n}`, before });
                applied += 1;
              } catch (error) {
                if (!(error instanceof ToolError)) throw error;
                expect(error.code).not.toBe("INTERNAL");
                expect(snapshot(world.root)).toEqual(before);
              }
            }
            const first = states[0]?.before ?? snapshot(world.root);
            const last = snapshot(world.root);
            const undone = await world.journal.undo({ taskId: "task" }, origin("all")).catch(() => undefined);
            if (undone !== undefined) {
              expect(snapshot(world.root)).toEqual(first);
              await world.journal.undo({ callId: "all" }, origin("redo"));
              expect(snapshot(world.root)).toEqual(last);
            } else expect(states.length === 0 || isDeepStrictEqual(first, last)).toBe(true);
            for (const { callId, before } of states.toReversed()) {
              await world.journal.undo({ callId }, origin(`undo ${callId}`)).catch((error: unknown) => {
                // A call may have had nothing to do.
                if (!(error instanceof ToolError) || error.code !== "RESOURCE_NOT_FOUND") throw error;
              });
              expect(snapshot(world.root)).toEqual(before);
            }
            expect(await world.state.integrity()).toEqual({ ok: true, problems: [] });
            expect(await world.state.journal.unfinished()).toEqual([]);
          } finally {
            await world.close();
            rmSync(base, { recursive: true, force: true });
            expect(existsSync(base)).toBe(false);
          }
        }),
        { numRuns: 40 },
      );
      // Most random changes are refused; without any that were made, the property would say nothing.
      expect(applied).toBeGreaterThan(5);
    },
  );
});
