import { ToolDefinitionError } from "../contract/errors.js";
import { configJsonSchema, placesOfKey } from "../config/known-keys.js";
import { nearest } from "../schema/nearest.js";
import type { TenonOptions } from "./tenon-options.js";

/** Every option, so that the compiler misses one that is added and not listed here. */
const known: Record<keyof TenonOptions, true> = {
  workspace: true,
  config: true,
  loaded: true,
  tools: true,
  extensions: true,
  builtIns: true,
  interact: true,
  recorders: true,
  log: true,
  telemetry: true,
  health: true,
  argumentLimits: true,
  maxTextChars: true,
  cancelGraceMs: true,
  jobs: true,
  actor: true,
  clock: true,
  random: true,
  env: true,
  home: true,
};

/** An option that nobody reads must not pass for one that holds: `mode: "read-only"` here would guard nothing. */
export function checkOptions(options: TenonOptions): void {
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(known, key)) continue;
    throw new ToolDefinitionError(`createTenon knows no option "${key}".`, { hint: wayOut(key) });
  }
}

function wayOut(key: string): string {
  const [place] = placesOfKey(configJsonSchema(), key);
  if (place !== undefined) return `It is a setting (${place}): write createTenon({ config: { … } }).`;
  const similar = nearest(key, Object.keys(known));
  return similar === undefined
    ? `Options are ${Object.keys(known).join(", ")}.`
    : `Did you mean "${similar}"?`;
}
