import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { ToolError } from "../../src/contract/errors.js";
import { type Arena, createArena } from "./arena.js";
import { SECRET } from "./fixture.js";
import type { Operation } from "./operations.js";
import { startSwapper } from "./swapper.js";

/** What came of an attack. */
export interface AttackResult {
  readonly how: string;
  readonly tries: number;
  /** Tries that did what was asked, inside. */
  readonly done: number;
  /** Tries that were refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Secrets read and changes made outside. */
  readonly escapes: number;
  /** Descriptors that were left open. */
  readonly leaked: number;
  /** Errors that are none of Tenon's own. */
  readonly faults: readonly string[];
  readonly swaps: number;
}

/** So many tries, or at least so many in at least that time. */
export type AttackLength =
  | { readonly tries: number }
  | { readonly least: { readonly tries: number; readonly milliseconds: number } };

/** Run an operation again and again while another process exchanges the names it uses. */
export async function runAttack(operation: Operation, until: AttackLength): Promise<AttackResult> {
  const arena = await createArena();
  const swapper = await startSwapper(arena.pairs);
  const score: Score = { tries: 0, done: 0, refused: {}, escapes: 0, faults: [] };
  const descriptors = openDescriptors();
  let swaps = 0;
  let leaked = 0;
  const started = Date.now();
  const isOver = (): boolean =>
    "least" in until
      ? score.tries >= until.least.tries && Date.now() - started >= until.least.milliseconds
      : score.tries >= until.tries;
  try {
    while (!isOver()) {
      await attempt(arena, operation, score);
      if (score.tries % 1000 === 0) countDamage(arena, score);
    }
  } finally {
    leaked = (await settledDescriptors(descriptors)) - descriptors;
    swaps = await swapper.stop();
    countDamage(arena, score);
    await arena.dispose();
  }
  return { how: swapper.how, swaps, leaked, ...score };
}

interface Score {
  tries: number;
  done: number;
  refused: Record<string, number>;
  escapes: number;
  faults: string[];
}

async function attempt(arena: Arena, operation: Operation, score: Score): Promise<void> {
  const index = score.tries;
  score.tries += 1;
  try {
    const leaked = await operation(arena, index);
    score.done += 1;
    if (JSON.stringify(leaked ?? null).includes(SECRET)) score.escapes += 1;
  } catch (error) {
    if (error instanceof ToolError) {
      score.refused[error.code] = (score.refused[error.code] ?? 0) + 1;
      if (error.message.includes(SECRET) || error.message.includes(arena.outside)) score.escapes += 1;
      return;
    }
    if (score.faults.length < 5) score.faults.push(String(error));
  }
}

/** Descriptors of this process, without the loop's own for watching, which stays for ever. */
function openDescriptors(): number {
  const targets = readdirSync("/proc/self/fd").map((fd) => linkOrNothing(`/proc/self/fd/${fd}`));
  return targets.filter((target) => target !== undefined && !target.includes("inotify")).length;
}

function linkOrNothing(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** Reads of directories that were under way when the last try was cancelled may end first. */
async function settledDescriptors(expected: number): Promise<number> {
  for (let left = 200; left > 0 && openDescriptors() > expected; left -= 1) await setTimeout(10);
  return openDescriptors();
}

function countDamage(arena: Arena, score: Score): void {
  const damage = arena.damage();
  if (damage === undefined) return;
  score.escapes += 1;
  if (score.faults.length < 5) score.faults.push(damage.slice(0, 4000));
}
