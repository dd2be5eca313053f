import { lstat } from "node:fs/promises";
import { createWalk, type Guarded, type GuardedPath, type GuardedRules } from "./walk-guarded.js";

/** Finds what must be hidden or kept, again and again, without walking a large tree for every command. */
export interface GuardIndex {
  find(): Promise<Guarded>;
  /** The same, by a walk that begins now: what changes must be told from needs the state as it is. */
  findNow(): Promise<Guarded>;
  /** Only what lies directly below the roots, as it is now. */
  findNear(): Promise<Guarded>;
  /** Whether a person opened the path although it is protected. */
  isOpened(path: string): boolean;
}

/** A walk that takes no longer than this is made anew for every command. */
const cheapMs = 5;
/** What a longer one found is used this long before another is made beside the command. */
const freshMs = 3000;

/** The first search waits for the whole walk; later ones look at the top themselves and trust the rest. */
export function createGuardIndex(rules: GuardedRules, now: () => number): GuardIndex {
  const walk = createWalk(rules);
  let last: { readonly found: Guarded; readonly at: number; readonly took: number } | undefined;
  let running: Promise<Guarded> | undefined;

  const walkAll = (): Promise<Guarded> => {
    running ??= (async () => {
      const start = now();
      try {
        const found = await walk.find(Number.POSITIVE_INFINITY);
        last = { found, at: now(), took: now() - start };
        return found;
      } finally {
        running = undefined;
      }
    })();
    return running;
  };

  return {
    findNear: () => walk.find(1),
    async findNow() {
      const start = now();
      const found = await walk.find(Number.POSITIVE_INFINITY);
      last = { found, at: now(), took: now() - start };
      return found;
    },
    isOpened: (path) => walk.isOpened(path),
    async find() {
      if (last === undefined || last.took <= cheapMs) return walkAll();
      // Its failure is the next search's to tell.
      if (now() - last.at > freshMs) walkAll().catch(() => {});
      const [near, far] = await Promise.all([walk.find(1), stillThere(last.found)]);
      return join(near, far);
    },
  };
}

async function stillThere(found: Guarded): Promise<Guarded> {
  const keep = async <T>(items: readonly T[], pathOf: (item: T) => string): Promise<T[]> => {
    const checked = await Promise.all(
      items.map((item) =>
        lstat(pathOf(item)).then(
          (stats) => (stats.isSymbolicLink() ? [] : [item]),
          () => [],
        ),
      ),
    );
    return checked.flat();
  };
  const [hidden, fixed, gitDirs] = await Promise.all([
    keep(found.hidden, ({ path }) => path),
    keep(found.fixed, ({ path }) => path),
    keep(found.gitDirs, (path) => path),
  ]);
  return { hidden, fixed, gitDirs, surveyed: found.surveyed };
}

function join(one: Guarded, other: Guarded): Guarded {
  return {
    hidden: distinct([...one.hidden, ...other.hidden]),
    fixed: distinct([...one.fixed, ...other.fixed]),
    gitDirs: [...new Set([...one.gitDirs, ...other.gitDirs])],
    surveyed: other.surveyed,
  };
}

function distinct(paths: readonly GuardedPath[]): GuardedPath[] {
  return [...new Map(paths.map((each) => [each.path, each])).values()];
}
