import type { NormalConfig } from "./normal-config.js";
import type { ResolvedConfig } from "./resolve-config.js";
import { isEmpty, pickSmaller, type Refuse } from "./stricter.js";

type Tools = NonNullable<NormalConfig["tools"]>;

/** Less text than before. */
export function tightenOutput(
  wanted: NonNullable<Tools["output"]>,
  base: ResolvedConfig["tools"]["output"],
  refuse: Refuse,
): Tools["output"] {
  return filled({
    maxTokens: pickSmaller(wanted.maxTokens, base.maxTokens, { refuse, path: "output.maxTokens" }),
    maxBatchTokens: pickSmaller(wanted.maxBatchTokens, base.maxBatchTokens, {
      refuse,
      path: "output.maxBatchTokens",
    }),
  });
}

/** A smaller cache, or none. */
export function tightenCache(
  wanted: NonNullable<Tools["cache"]>,
  base: ResolvedConfig["tools"]["cache"],
  refuse: Refuse,
): Tools["cache"] {
  if (wanted.enabled === true && !base.enabled) refuse("cache.enabled");
  const smaller = (key: "maxBytes" | "maxEntries" | "ttlMs"): number | undefined =>
    pickSmaller(wanted[key], base[key], { refuse, path: `cache.${key}` });
  return filled({
    enabled: wanted.enabled === false ? false : undefined,
    maxBytes: smaller("maxBytes"),
    maxEntries: smaller("maxEntries"),
    ttlMs: smaller("ttlMs"),
  });
}

function filled<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => !isEmpty(value))) as T;
}
