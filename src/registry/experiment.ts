import { ToolDefinitionError } from "../contract/errors.js";
import { checkKeys } from "../schema/check-keys.js";
import type { ToolEntry } from "./tool-entry.js";
import { sameVersion } from "./versions.js";

/** One arm of an experiment: how much of the sessions a version gets. */
export interface Variant {
  readonly version: string;
  readonly weight: number;
}

/** A split of sessions over versions, bound to entries. */
export interface Experiment {
  pick(sessionId: string): ToolEntry;
}

/** Refuse variants that cannot be split. */
export function checkVariants(
  toolName: string,
  variants: readonly Variant[],
  versions: readonly ToolEntry[],
): void {
  const refuse = (fault: string): never => {
    const there = versions.map(({ version }) => version).join(", ");
    throw new ToolDefinitionError(`The experiment on "${toolName}" ${fault}.`, {
      toolName,
      hint: `Give each version a weight above 0. Versions there are: ${there}.`,
    });
  };
  if (!Array.isArray(variants) || variants.length === 0) refuse("has no versions");
  for (const [position, variant] of variants.entries()) {
    checkKeys(variant, { version: true, weight: true }, `the experiment on "${toolName}"`);
    const { version, weight } = variant;
    if (!Number.isFinite(weight) || weight <= 0) refuse("has a weight that is not a finite number above 0");
    if (!versions.some((entry) => sameVersion(entry.version, version))) refuse(`names version ${version}`);
    if (variants.findIndex((other) => sameVersion(other.version, version)) !== position) {
      refuse(`names version ${version} twice`);
    }
  }
}

/** Bind variants to the versions that are there; `undefined` where none is left. */
export function bindExperiment(
  toolName: string,
  variants: readonly Variant[],
  versions: readonly ToolEntry[],
): Experiment | undefined {
  const arms: { readonly entry: ToolEntry; readonly upTo: number }[] = [];
  let sum = 0;
  for (const { version, weight } of variants) {
    const entry = versions.find((candidate) => sameVersion(candidate.version, version));
    if (entry === undefined) continue;
    sum += weight;
    arms.push({ entry, upTo: sum });
  }
  const last = arms.at(-1);
  if (last === undefined) return undefined;
  const seed = hash(toolName, 0x811c9dc5);
  return {
    pick(sessionId) {
      const point = (spread(hash(sessionId, seed)) / 2 ** 32) * sum;
      for (const arm of arms) if (point < arm.upTo) return arm.entry;
      return last.entry;
    },
  };
}

/** FNV-1a over UTF-16 units. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/** FNV alone leaves the high bits of short texts alike; this mixes them (Murmur 3's last step). */
function spread(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
