import { basename, dirname } from "node:path";
import { once } from "../../contract/once.js";
import type { CommandPaths } from "../../contract/session.js";
import { createDenyRules, foldLocation, type Location } from "../files/deny-rules.js";
import { foldName } from "../files/fold-name.js";
import { isWithin, relativeTo } from "../files/path-text.js";
import type { PathRules } from "../files/path-rules.js";
import { realPathOf } from "../files/real-path.js";
import { createNameScreen } from "../sandbox/guarded-names.js";
import { isInDependencies } from "../sandbox/quarantine/dependency-folders.js";
import { createLinkedPaths } from "./linked-paths.js";

/** Whether a change of a command is committed. */
export type Verdict =
  | { readonly kind: "commit" }
  /** Held back until a person agrees; `asks`: a person can be asked at once; `final`: nobody can agree. */
  | {
      readonly kind: "hold";
      readonly reason: string;
      readonly rule: string;
      readonly asks?: boolean;
      readonly final?: boolean;
      /** The harmless part of a file, which is committed without the rest. */
      readonly instead?: Uint8Array | undefined;
    };

/** The rules by which the changes of a command are judged. */
export interface LayerRules {
  /** Real path. */
  readonly workspace: string;
  /** The rules that the file tools of the call follow. */
  readonly rules: PathRules;
  /** Whether a forbidden, protected or careful path may have this name; `false` is certain. */
  readonly screen: (name: string) => boolean;
  /** The forbidden, protected and careful paths. */
  readonly screened: readonly string[];
  readonly carefulGlobs: readonly string[];
  /** Protected and careful paths that a person's rules open. */
  readonly openedGlobs: readonly string[];
  /** What the policy's rules say about paths. */
  readonly paths: CommandPaths | undefined;
  /** Absolute paths that the command was allowed to change. */
  readonly consented: readonly string[];
  /** The other names of a path, and of what is below it; all are absolute. @default none */
  readonly namesOf?: ((real: string, below: boolean) => readonly string[]) | undefined;
}

/** Judges paths by their names. */
export interface NameJudge {
  /** Whether a rule can apply to an entry with this name; `false` is certain. */
  mayMatch(name: string): boolean;
  /** Whether something in a folder has other names, so that `mayMatch` says nothing about it. */
  hasNames(folder: string): boolean;
  /** @param path Relative to the workspace. */
  judge(path: string): Verdict;
  /** Judge a symbolic link: it can put a folder where a rule is about something in that folder. */
  judgeLink(path: string): Verdict;
  /** Whether a person allowed changing the path, so that what git runs there is not held back. */
  isOpened(path: string): boolean;
}

export const commit: Verdict = Object.freeze({ kind: "commit" });

/** Judged by their contents. */
const byContent = new Set([".git", ".gitmodules", ".gitattributes"]);

export function createNameJudge(options: LayerRules): NameJudge {
  const { workspace, rules, paths, consented } = options;
  const surroundings = { workspace, realPath: realPathOf };
  // Most commands change nothing that these concern.
  const careful = once(() => createDenyRules(options.carefulGlobs, surroundings));
  const opened = once(() => createDenyRules(options.openedGlobs, surroundings));
  const linked = once(() => createLinkedPaths([...options.screened, ...(paths?.patterns ?? [])], workspace));
  const isInPolicy = createNameScreen(paths?.patterns ?? []);
  const coversRoot = paths?.judge(".", "write") !== undefined || !rules.judge(workspace, "write").allowed;
  const isNarrowed = !rules.judge(`${workspace}/any`, "write").allowed;
  const mayMatch = (name: string): boolean =>
    coversRoot || isNarrowed || options.screen(name) || isInPolicy(name) || byContent.has(foldName(name));
  const folders = new Map<string, boolean>([[".", false]]);
  /** Rules cover everything below what they name, so that all folders above count. */
  const mayMatchPath = (path: string): boolean => {
    const folder = dirname(path);
    const known = folders.get(folder) ?? mayMatchPath(folder);
    folders.set(folder, known);
    return known || mayMatch(basename(path));
  };
  const locate = (path: string): Location =>
    foldLocation({ absolute: `${workspace}/${path}`, relative: path, inWorkspace: true });
  const judge = (path: string): Verdict => {
    const own = judgeName(path);
    if (own.kind === "hold" || options.namesOf === undefined) return own;
    const real = `${workspace}/${path}`;
    const names = options.namesOf(real, false);
    if (names.length === 0 || consented.includes(real) || opened().match(locate(path)) !== undefined)
      return own;
    for (const name of names) {
      const verdict = isWithin(name, workspace) ? judgeName(relativeTo(name, workspace)) : commit;
      if (verdict.kind === "hold")
        return { ...verdict, reason: `it is also ${relativeTo(name, workspace)}: ${verdict.reason}` };
    }
    return own;
  };
  const judgeName = (path: string): Verdict => {
    if (!mayMatchPath(path)) return commit;
    const real = `${workspace}/${path}`;
    const refused = judgeRules(rules, path, real);
    // What nobody can consent to, the policy did not judge.
    if (refused?.final === true) return refused;
    if (consented.includes(real)) return commit;
    if (refused !== undefined) return refused;
    const ruling = paths?.judge(path, "write");
    if (ruling?.decision === "allow") return commit;
    if (ruling?.decision === "deny") {
      return { kind: "hold", reason: "a rule denies changing it", rule: ruling.rule, final: true };
    }
    if (ruling?.decision === "ask" && paths?.named.some((each) => isWithin(real, each)) !== true) {
      return { kind: "hold", reason: "a rule asks before it is changed", rule: ruling.rule, asks: true };
    }
    if (isJudgedByContent(path) || isInDependencies(path)) return commit;
    const location = locate(path);
    const rule = opened().match(location) === undefined ? careful().match(location) : undefined;
    if (rule === undefined) return commit;
    return {
      kind: "hold",
      reason: "it decides which code later installs, builds or starts run",
      rule,
      asks: true,
    };
  };
  return {
    mayMatch,
    hasNames: (folder) => (options.namesOf?.(`${workspace}/${folder}`, true).length ?? 0) > 0,
    isOpened: (path) =>
      consented.includes(`${workspace}/${path}`) || opened().match(locate(path)) !== undefined,
    judge,
    judgeLink(path) {
      const own = judge(path);
      if (own.kind === "hold") return own;
      for (const below of linked()(path)) {
        const verdict = judge(below);
        if (verdict.kind === "hold") {
          return { ...verdict, reason: `${below} would lead through this link: ${verdict.reason}` };
        }
      }
      return commit;
    },
  };
}

function judgeRules(
  rules: PathRules,
  path: string,
  real: string,
): Extract<Verdict, { kind: "hold" }> | undefined {
  const verdict = rules.judge(real, "write");
  if (verdict.allowed) return undefined;
  const protection = /^protected: (.*)$/s.exec(verdict.rule)?.[1];
  if (protection === undefined) {
    return { kind: "hold", reason: `it ${verdict.reason}`, rule: verdict.rule, final: true };
  }
  if (isJudgedByContent(path) || isInDependencies(path)) return undefined;
  return {
    kind: "hold",
    reason: "other programs later run it or load it as configuration",
    rule: protection,
  };
}

/** What git obeys is judged by its contents, and the rest of a git folder is data. */
function isJudgedByContent(path: string): boolean {
  const folded = foldName(path);
  return byContent.has(basename(folded)) || folded.split("/").includes(".git");
}
