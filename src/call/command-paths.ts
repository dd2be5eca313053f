import type { CommandAnalysis, SimpleCommand } from "../command/command-analysis.js";
import type { CommandPaths } from "../contract/session.js";
import { policyCall } from "./authorise.js";
import type { ValidatedCall } from "./call.js";
import { analysisOf } from "./shell-commands.js";

/** What the rules about paths mean for the commands of a call; `undefined` where every path is open. */
export function commandPathsOf(call: ValidatedCall): CommandPaths | undefined {
  const analysis = analysisOf(call);
  const rulings = call.parts.policy.commandPaths(policyCall(call));
  const unasked = analysis && contentsReadUnasked(analysis, call.parts.world.canonicalPath(cwdOf(call)));
  if (rulings === undefined && unasked === undefined) return undefined;
  const { reads = [], writes = [], changes = [] } = analysis ?? {};
  return {
    patterns: rulings?.patterns ?? [],
    judge: rulings?.judge ?? (() => undefined),
    named: [...reads, ...writes, ...changes],
    unasked,
  };
}

function cwdOf(call: ValidatedCall): string {
  return call.entry.tool.shellLine?.(call.input)?.cwd ?? ".";
}

/**
 * A line that is proved to only read runs without being asked about. It never names a file with secrets,
 * but a search or a glob meets them. What it prints of files is theirs to give only with consent.
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

/** It looks at the folder that it runs in where it is given no other. */
function isSearch({ words: [name = "", ...words] }: SimpleCommand): boolean {
  if (/^(?:rg|ag|ack)$/.test(name)) return true;
  return (
    name.endsWith("grep") &&
    words.some((word) => /^(?:-[a-zA-Z]*[rR]|--(?:dereference-)?recursive)/.test(word))
  );
}

/**
 * Programs of the strict fragment that tell names and facts, no contents. Git prints only what is tracked,
 * and that is in its history anyway; a covered file would look deleted to it.
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
