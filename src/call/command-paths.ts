import { resolve } from "node:path";
import type { CommandAnalysis, SimpleCommand } from "../command/command-analysis.js";
import type { CommandPaths, PathWhitelist } from "../contract/session.js";
import type { PathRulings } from "../policy/command-paths.js";
import { policyCall, type ValidatedCall } from "./validate.js";

/** What the rules about paths mean for the commands of a call; `undefined` if no path is restricted. */
export function commandPathsOf(call: ValidatedCall): CommandPaths | undefined {
  const analysis = call.shell?.analysis;
  const { policy, world } = call.state.parts;
  const whitelist = whitelistOf(call);
  const rulings = narrowRulings(policy.commandPaths(policyCall(call)), whitelist, rootOf(call));
  const cwd = world.canonicalPath(call.shell?.line.cwd ?? ".");
  const unasked =
    call.state.askAfter === undefined ? analysis && contentsReadUnasked(analysis, cwd) : { bases: [cwd] };
  if (rulings === undefined && unasked === undefined) return undefined;
  const { reads = [], writes = [], changes = [] } = analysis ?? {};
  return {
    patterns: rulings?.patterns ?? [],
    judge: rulings?.judge ?? (() => undefined),
    named: [...reads, ...writes, ...changes],
    unasked,
  };
}

/** The lists of allowed paths that bind the commands of a call. */
export function whitelistOf({ state, entry }: ValidatedCall): PathWhitelist | undefined {
  return state.parts.world.whitelist?.(entry.name, state.session);
}

function rootOf({ state }: ValidatedCall): string {
  const { world } = state.parts;
  return world.root?.() ?? world.canonicalPath(".");
}

/** Commands see the folders above an allowed path. Of the rest of the workspace they see only names. */
function narrowRulings(
  rulings: PathRulings | undefined,
  whitelist: PathWhitelist | undefined,
  root: string,
): PathRulings | undefined {
  if (whitelist === undefined) return rulings;
  return {
    patterns: [...(rulings?.patterns ?? []), "**"],
    judge(path, access) {
      const place = whitelist(resolve(root, path));
      const ruling = rulings?.judge(path, access);
      if (place === "outside") return { decision: "deny", rule: "allowedPaths", below: true };
      if (place === "above" && access === "write")
        return { decision: "deny", rule: "allowedPaths", below: false };
      return place === "above" && ruling !== undefined ? { ...ruling, below: false } : ruling;
    },
  };
}

/**
 * A line that is proven to only read runs without consent. It never names a file with secrets, but a search or a
 * glob may read one. Contents of such files are printed only with consent.
 */
function contentsReadUnasked(
  { readOnly, commands, reads }: CommandAnalysis,
  cwd: string,
): { readonly bases: readonly string[] } | undefined {
  const printing = readOnly ? commands.filter(printsContents) : [];
  if (printing.length === 0) return undefined;
  const mayWalk = reads.length === 0 || (printing.length > 1 && printing.some(isSearch));
  return { bases: [...reads.map(fixedPart), ...(mayWalk ? [cwd] : [])] };
}

/** Searches the folder that it runs in unless it is given another. */
function isSearch({ words: [name = "", ...words] }: SimpleCommand): boolean {
  if (/^(?:rg|ag|ack)$/.test(name)) return true;
  return (
    name.endsWith("grep") &&
    words.some((word) => /^(?:-[a-zA-Z]*[rR]|--(?:dereference-)?recursive)/.test(word))
  );
}

/**
 * Programs of the strict fragment that print names and facts, not contents. Git prints only what is tracked,
 * which is in its history anyway; a hidden file would look deleted to it.
 */
const namesOnly = new Set(
  "git ls find fd tree du df stat pwd echo printf true false : test [ date whoami id uname basename dirname realpath readlink which type hostname nproc seq sleep cd".split(
    " ",
  ),
);

function printsContents({ words: [name = ""] }: SimpleCommand): boolean {
  return !namesOnly.has(name.slice(name.lastIndexOf("/") + 1));
}

/** The part of a path before its first wildcard. */
function fixedPart(path: string): string {
  const names = path.split("/");
  const first = names.findIndex((name) => /[*?[{]/.test(name));
  return first === -1 ? path : names.slice(0, first).join("/") || "/";
}
