import * as z from "zod";
import { once } from "../contract/once.js";
import { section, setting } from "./setting.js";
import { atLeastOne, bytes, milliseconds } from "./shared-schemas.js";
import { smaller, stricterIn } from "./tighten-rules.js";

/** A budget for text; a smaller one would leave no room to say where the rest is. */
export const outputTokens = once(() => z.number().int().min(100).max(10_000_000));

/** How much text the model gets. */
export const outputSection = once(() =>
  section("How much text the model gets.", {
    maxTokens: setting(outputTokens(), "Estimated tokens of one result.", {
      default: 25_000,
      tighten: smaller,
    }),
    maxBatchTokens: setting(
      outputTokens(),
      "Estimated tokens of all results of callMany or stream together.",
      { default: 100_000, tighten: smaller },
    ),
  }),
);

/** Whether and how results are cached for equal calls. */
export const cacheSection = once(() =>
  section("How results of read-only cacheable tools are cached.", {
    enabled: setting(z.boolean(), "`false`: every call runs.", {
      default: true,
      tighten: stricterIn([false, true]),
    }),
    maxBytes: setting(bytes(), "Total size of all cached results.", {
      default: 32 * 2 ** 20,
      tighten: smaller,
    }),
    maxEntries: setting(atLeastOne(), "How many results are cached.", { default: 2000, tighten: smaller }),
    ttlMs: setting(milliseconds(), "How long a result is cached if nothing that it read has changed.", {
      default: 600_000,
      tighten: smaller,
    }),
  }),
);

/** What is done about a call that fails repeatedly. */
export const loopGuardSection = once(() =>
  section("What is done about a call that fails repeatedly.", {
    enabled: setting(z.boolean(), "`false`: nothing.", { default: true }),
    adviseAfter: setting(
      atLeastOne(),
      "Equal failures of a call after which its error says what was tried.",
      { default: 3 },
    ),
    refuseAfter: setting(
      atLeastOne(),
      "Equal failures after which the call is refused until something changes.",
      { default: 20 },
    ),
    windowMs: setting(milliseconds(), "How long a failure counts.", { default: 120_000 }),
  }),
);
