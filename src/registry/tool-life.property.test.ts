import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { canTransition } from "./lifecycle.js";
import { ToolRegistry } from "./tool-registry.js";
import { randomCases } from "../../test/setup/random-cases.js";

const view = { sessionId: "s" };

const make = (over: Partial<Tool> = {}): Tool =>
  defineTool({
    name: "t",
    description: "d",
    category: "data",
    input: z.object({}),
    execute: () => 1,
    ...over,
  });

const turn = (): Promise<void> => new Promise(setImmediate);

describe("any order of events", () => {
  it("walks only legally, loses no call and ends where it should", async () => {
    const action = fc.constantFrom("begin", "ok", "failed", "critical", "disable", "enable", "wait", "check");
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 60 }),
        fc.boolean(),
        fc.boolean(),
        async (actions, withInit, withCheck) => {
          let now = 0;
          const registry = new ToolRegistry({
            clock: { now: () => now },
            health: { criticalErrors: 2, probeAfterMs: 100 },
          });
          const entry = registry.register(
            make({
              ...(withInit && { init: turn }),
              ...(withCheck && { healthCheck: () => ({ healthy: true }) }),
            }),
          );
          let running = 0;
          for (const step of actions) {
            if (step === "wait") now += 100;
            else if (step === "disable") registry.disable("t");
            else if (step === "enable") registry.enable("t");
            else if (step === "check") await registry.health("t");
            else if (step === "begin") {
              try {
                await registry.resolve("t", view).begin();
                running++;
              } catch (error) {
                if (!(error instanceof ToolUnavailableError)) throw error;
              }
            } else if (running > 0) {
              running--;
              entry.end(step);
            }
            expect(entry.running).toBe(running);
            expect(entry.state === "Executing").toBe(running > 0);
          }
          while (running-- > 0) entry.end("ok");
          registry.enable("t");
          await registry.resolve("t", view).begin();
          expect(entry.state).toBe("Executing");
          entry.end("ok");
          expect(await registry.unregister("t")).toBe(true);
          expect(entry.state).toBe("Unregistered");
          const history = registry.history("t");
          for (const { from, to } of history) expect(canTransition(from, to)).toBe(true);
        },
      ),
      { numRuns: randomCases(300) },
    );
  });
});
