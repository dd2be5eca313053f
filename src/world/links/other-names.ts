import { isWithin } from "../files/path-text.js";
import { createPause } from "../files/pause.js";
import { createLinkWalk, type NamedTarget } from "./walk-links.js";

/**
 * The other names of files: paths that lead to them through symbolic links, and those by which git knows what its settings
 * name. A rule about one of the names binds the file.
 */
export interface OtherNames {
  /** The absolute names of a real path besides its own; `below`: also those of what is in that folder. */
  readonly of: (real: string, below?: boolean) => readonly string[];
  /**
   * Look for links if it is time to, a few milliseconds at a time; `undefined` if it is not. Otherwise the next answer would
   * look, and block until it has.
   */
  readonly look: () => Promise<void> | undefined;
  /** Look again before the next answer, because links may have changed. */
  renew(): void;
}

/** Looking for links takes at most this part of the time. */
const share = 100;
const minIntervalMs = 2000;
/** Links that lead to each other's places can give a path any number of names; the nearest are found first. */
const maxNames = 64;

/** @param roots Real paths; what lies elsewhere is not found. */
export function createOtherNames(roots: () => readonly string[]): OtherNames {
  const walk = createLinkWalk();
  let targets: ReadonlyMap<string, readonly string[]> = new Map();
  let due = -Infinity;
  let renewals = 0;
  let looking: Promise<void> | undefined;
  /** Looks at one more folder at each step; its own time counts, not that of others. */
  function* lookAround(): Generator<void, void, void> {
    const seen = renewals;
    const steps = walk(roots());
    for (let tookMs = 0; ;) {
      const began = performance.now();
      const step = steps.next();
      const end = performance.now();
      tookMs += end - began;
      if (step.done === true) {
        targets = byTarget(step.value);
        if (seen === renewals) due = end + Math.max(minIntervalMs, tookMs * share);
        return;
      }
      yield;
    }
  }
  const lookInTurns = async (): Promise<void> => {
    const breathe = createPause();
    // Links may have changed while it looked; if they go on changing, the next answer looks at once.
    for (let times = 0; times < 2 && performance.now() >= due; times += 1)
      for (const _ of lookAround()) await breathe();
  };
  return {
    of(real, below = false) {
      if (performance.now() >= due) for (const _ of lookAround());
      return targets.size === 0 ? none : namesOf(real, below, targets);
    },
    look() {
      if (performance.now() < due) return undefined;
      looking ??= lookInTurns().finally(() => (looking = undefined));
      return looking;
    },
    renew() {
      renewals += 1;
      due = -Infinity;
    },
  };
}

const none: readonly string[] = Object.freeze([]);

function byTarget(found: readonly NamedTarget[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { target, name } of found) {
    const names = targets.get(target);
    if (names === undefined) targets.set(target, [name]);
    else names.push(name);
  }
  return targets;
}

function namesOf(real: string, below: boolean, targets: ReadonlyMap<string, readonly string[]>): string[] {
  const names = [real];
  const add = (name: string): void => {
    if (names.length <= maxNames && !names.includes(name)) names.push(name);
  };
  if (below) for (const [target, links] of targets) if (isWithin(target, real)) links.forEach(add);
  // A name can have further names itself, where a folder on its way is reached through a link.
  for (let at = 0; at < names.length; at += 1) {
    const path = names[at]!;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      for (const link of targets.get(path.slice(0, end)) ?? none)
        // A link to a folder that it lies in gives new names without end.
        if (!isWithin(path, link)) add(link + path.slice(end));
    }
  }
  return names.slice(1);
}
