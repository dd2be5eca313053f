import type { CommandPaths } from "../../contract/session.js";
import { createFolderCache } from "./folder-cache.js";
import { type Guarded, walkGuarded } from "./walk-guarded.js";
import { compileAccessRules, type SharedRules, type AccessRules } from "./access-rules.js";

/** Finds the paths that must be hidden or protected, for every command. */
export interface GuardIndex {
  /** The rules for a command, including those of its call. */
  rules(paths?: CommandPaths): AccessRules;
  find(paths?: CommandPaths): Promise<Guarded>;
  /** By the rules that apply to all commands. */
  findNow(): Promise<Guarded>;
  /** Whether a person allowed writing the path although it is protected. */
  isOpened(path: string): boolean;
}

/** Every search walks the whole tree; unchanged folders are not listed again. */
export function createGuardIndex(rules: SharedRules, now: () => number = Date.now): GuardIndex {
  const rulesFor = compileAccessRules(rules);
  const cache = createFolderCache(now, rules.sensitivePathFinder);
  const common = rulesFor();
  return {
    rules: rulesFor,
    find: (paths) => walkGuarded({ rules: rulesFor(paths), cache }),
    findNow: () => walkGuarded({ rules: common, cache }),
    isOpened: (path) => common.isOpened(path),
  };
}
