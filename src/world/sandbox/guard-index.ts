import type { CommandPaths } from "../../contract/session.js";
import { createFolderCache } from "./folder-cache.js";
import { type Guarded, walkGuarded } from "./walk-guarded.js";
import { compileWall, type GuardedRules, type WallRules } from "./wall-rules.js";

/** Finds what must be hidden or kept, as it is now, again for every command. */
export interface GuardIndex {
  /** The description that a command with these rules of its own is held to. */
  rules(paths?: CommandPaths): WallRules;
  find(paths?: CommandPaths): Promise<Guarded>;
  /** By the rules that all commands share. */
  findNow(): Promise<Guarded>;
  /** Only what lies directly below the roots. */
  findNear(): Promise<Guarded>;
  /** Whether a person opened the path although it is protected. */
  isOpened(path: string): boolean;
}

/** Every search walks the whole tree; folders that have not changed are not listed again. */
export function createGuardIndex(rules: GuardedRules, now: () => number = Date.now): GuardIndex {
  const wall = compileWall(rules);
  const cache = createFolderCache(now, rules.survey);
  const common = wall();
  return {
    rules: wall,
    find: (paths) => walkGuarded({ rules: wall(paths), cache }),
    findNow: () => walkGuarded({ rules: common, cache }),
    findNear: () => walkGuarded({ rules: common, cache, depth: 1 }),
    isOpened: (path) => common.isOpened(path),
  };
}
