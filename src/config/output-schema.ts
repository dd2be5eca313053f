import * as z from "zod";
import { once } from "../schema/once.js";
import { atLeastOne, bytes, milliseconds } from "./shared-schemas.js";

/** A budget for text; below the least one there would be no room for the way to the rest. */
export const outputTokens = once(() => z.number().int().min(100).max(10_000_000));

/** How much text the model is given. */
export const outputSchema = once(() =>
  z.strictObject({
    maxTokens: outputTokens().optional().describe("Estimated tokens of one answer. @default 25000"),
    maxBatchTokens: outputTokens()
      .optional()
      .describe("Estimated tokens of all answers of callMany or stream together. @default 100000"),
  }),
);

/** Whether and how answers are kept for equal calls. */
export const cacheSchema = once(() =>
  z.strictObject({
    enabled: z.boolean().optional().describe("`false`: every call runs. @default true"),
    maxBytes: bytes().optional().describe("How much all kept answers may take. @default 33554432 (32 MiB)"),
    maxEntries: atLeastOne().optional().describe("How many answers are kept. @default 2000"),
    ttlMs: milliseconds()
      .optional()
      .describe("How long an answer is kept though nothing that it read has changed. @default 600000"),
  }),
);

/** What is done about a call that fails again and again. */
export const loopGuardSchema = once(() =>
  z.strictObject({
    enabled: z.boolean().optional().describe("`false`: nothing. @default true"),
    adviseAfter: atLeastOne()
      .optional()
      .describe("Equal failures of a call after which its error says what was tried. @default 3"),
    refuseAfter: atLeastOne()
      .optional()
      .describe("Equal failures after which the call is refused until something changes. @default 20"),
    windowMs: milliseconds().optional().describe("How long a failure counts. @default 120000"),
  }),
);

interface OutputSettings {
  readonly output?: z.infer<ReturnType<typeof outputSchema>> | undefined;
  readonly cache?: z.infer<ReturnType<typeof cacheSchema>> | undefined;
  readonly loopGuard?: z.infer<ReturnType<typeof loopGuardSchema>> | undefined;
}

/** The defaults of these three. */
export function outputDefaults({ output = {}, cache = {}, loopGuard = {} }: OutputSettings) {
  const maxTokens = output.maxTokens ?? 25_000;
  return {
    output: { maxTokens, maxBatchTokens: output.maxBatchTokens ?? 100_000 },
    cache: {
      enabled: cache.enabled ?? true,
      maxBytes: cache.maxBytes ?? 32 * 1024 * 1024,
      maxEntries: cache.maxEntries ?? 2000,
      ttlMs: cache.ttlMs ?? 600_000,
    },
    loopGuard: {
      enabled: loopGuard.enabled ?? true,
      adviseAfter: loopGuard.adviseAfter ?? 3,
      refuseAfter: loopGuard.refuseAfter ?? 20,
      windowMs: loopGuard.windowMs ?? 120_000,
    },
  };
}
