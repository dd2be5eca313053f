import {
  readArguments,
  toSpec,
  type OptionSpec,
  type ReadArguments,
  type WrittenSpec,
} from "../read-options.js";
import type { Field } from "../words/field.js";
import type { Reading } from "./read-only-programs.js";
import { isSecretName } from "./secret-names.js";

const global = toSpec({
  flags: "P",
  values: "C",
  long: "no-pager no-optional-locks literal-pathspecs no-replace-objects",
  stop: true,
});

/** `git` where it looks and changes nothing: known subcommands with known options. */
export function gitReads(reading: Reading): readonly Field[] | undefined {
  const { args } = reading;
  if (args.length === 1 && /^(?:--version|-v|version|--help|-h|help)$/.test(args[0]!.text)) return [];
  const outer = readArguments(args, global);
  const [verb, ...rest] = outer?.operands ?? [];
  if (outer === undefined || verb === undefined || rest.some(({ pattern }) => /^[*?[]/.test(pattern ?? "")))
    return undefined;
  const subcommand = subcommands.get(verb.text);
  const places = outer.options.get("C") ?? [];
  if (subcommand === undefined) return undefined;
  const read = readArguments(rest, subcommand.spec);
  if (read === undefined || !subcommand.accepts(read)) return undefined;
  const given =
    subcommand.pattern === true && !read.options.has("e") ? read.operands.slice(1) : read.operands;
  // `-L 1,9:file` names a file.
  const traced = (read.options.get("L") ?? []).filter(({ text }) => text.includes(":"));
  const operands = [...given, ...(subcommand.files ?? []).flatMap((name) => read.options.get(name) ?? [])];
  if (
    [...operands, ...traced].some(({ text }) =>
      isSecretName(text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf(":")) + 1)),
    )
  )
    return undefined;
  return [...places, ...operands.filter(isPathLike)];
}

/** A revision is not a path; an operand that leads out of the directory is one. */
function isPathLike({ text, pattern }: Field): boolean {
  return (
    pattern !== undefined ||
    text.startsWith("/") ||
    text.startsWith("..") ||
    text.includes("/../") ||
    text.startsWith(":/")
  );
}

interface Subcommand {
  readonly spec: OptionSpec;
  readonly accepts: (read: ReadArguments) => boolean;
  readonly files?: readonly string[];
  /** The first operand is a pattern. */
  readonly pattern?: boolean;
}

const shown =
  "oneline graph decorate=? no-decorate all branches=? tags=? remotes=? stat=? shortstat numstat dirstat=? name-only name-status summary patch no-patch raw unified= pretty=? format= abbrev-commit no-abbrev-commit abbrev=? date= since= after= until= before= author= committer= grep= all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp max-count= skip= merges no-merges first-parent follow reverse topo-order date-order author-date-order relative=? cached staged merge-base color=? no-color color-words=? word-diff=? word-diff-regex= ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines minimal patience histogram diff-algorithm= find-renames=? find-copies=? no-renames diff-filter= pickaxe-all pickaxe-regex exit-code quiet check full-index binary cc combined-all-paths no-ext-diff no-textconv no-prefix src-prefix= dst-prefix= inter-hunk-context= function-context left-right cherry-pick cherry-mark boundary simplify-by-decoration full-history ancestry-path walk-reflogs notes=? no-notes show-pulls compact-summary no-relative no-indent-heuristic text no-color-moved color-moved=? ignore-submodules=? source mailmap no-mailmap children parents root count left-only right-only";

const log: WrittenSpec = {
  flags: "pusczwbamRDWqiEFPgr",
  values: "nUSGLl",
  attached: "MCB",
  long: shown,
  number: true,
};

/** Formats that ask for signatures run the program that checks them. */
function signatureFree({ options }: ReadArguments): boolean {
  return ["format", "pretty"].every((name) =>
    (options.get(name) ?? []).every(({ text }) => !/%G|signature/.test(text)),
  );
}

const always = (): boolean => true;
const noOperands = ({ operands }: ReadArguments): boolean => operands.length === 0;
/** Without one of these a name would be made. */
const listing = (read: ReadArguments): boolean =>
  signatureFree(read) &&
  (read.operands.length === 0 ||
    ["list", "l", "contains", "no-contains", "merged", "no-merged", "points-at"].some((name) =>
      read.options.has(name),
    ));

function sub(
  written: WrittenSpec,
  accepts: Subcommand["accepts"] = always,
  extra: Pick<Subcommand, "files" | "pattern"> = {},
): Subcommand {
  // However git understands a value in a word of its own, it is judged as an operand.
  const long = (written.long ?? "").replaceAll(/=(?= |$)/g, "=?");
  return { spec: toSpec({ ...written, long }), accepts, ...extra };
}

const refs =
  "sort= format= contains= no-contains= merged=? no-merged=? points-at= color=? column=? no-column ignore-case";

const subcommands: ReadonlyMap<string, Subcommand> = new Map([
  [
    "status",
    sub({
      flags: "sbvz",
      attached: "u",
      long: "short branch porcelain=? untracked-files=? ignored=? long verbose column=? no-column no-renames renames ahead-behind no-ahead-behind show-stash ignore-submodules=? null",
    }),
  ],
  ["log", sub(log, signatureFree)],
  ["diff", sub(log, signatureFree)],
  ["show", sub(log, signatureFree)],
  ["whatchanged", sub(log, signatureFree)],
  [
    "shortlog",
    sub(
      { ...log, flags: "nsecpw", values: "", long: `${shown} numbered summary email group=` },
      signatureFree,
    ),
  ],
  [
    "reflog",
    sub(
      log,
      (read) =>
        signatureFree(read) && !/^(?:expire|delete|drop|write|migrate)$/.test(read.operands[0]?.text ?? ""),
    ),
  ],
  ["rev-list", sub(log, signatureFree)],
  ["diff-tree", sub(log, signatureFree)],
  ["diff-index", sub(log)],
  ["diff-files", sub(log)],
  [
    "blame",
    sub({
      flags: "bclwefsntpw",
      values: "L",
      attached: "CM",
      long: "root show-stats porcelain line-porcelain incremental date= show-name show-number show-email abbrev= color-lines color-by-age",
    }),
  ],
  [
    "branch",
    sub(
      { flags: "arvlqi", long: `all remotes list verbose show-current abbrev=? no-abbrev ${refs}` },
      listing,
    ),
  ],
  ["tag", sub({ flags: "li", attached: "n", long: `list ${refs}` }, listing)],
  [
    "remote",
    sub(
      { flags: "v", long: "verbose" },
      ({ operands }) => operands.length === 0 || (operands.length === 2 && operands[0]!.text === "get-url"),
    ),
  ],
  [
    "rev-parse",
    sub({
      long: "abbrev-ref=? short=? show-toplevel git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository verify quiet symbolic symbolic-full-name show-prefix show-cdup all branches=? tags=? remotes=? default= git-path=? is-shallow-repository show-superproject-working-tree show-object-format=? not revs-only no-revs flags no-flags",
      flags: "q",
    }),
  ],
  [
    "ls-files",
    sub(
      {
        flags: "cdmoiksuztvf",
        values: "xX",
        long: "cached deleted modified others ignored stage unmerged killed exclude= exclude-from= exclude-per-directory= exclude-standard error-unmatch full-name abbrev=? eol deduplicate directory no-empty-directory recurse-submodules",
      },
      always,
      { files: ["X", "exclude-from", "exclude-per-directory"] },
    ),
  ],
  [
    "ls-tree",
    sub({
      flags: "drtlz",
      long: "long name-only name-status full-name full-tree abbrev=? object-only format=",
    }),
  ],
  ["cat-file", sub({ flags: "tspe", long: "batch-all-objects unordered" })],
  [
    "describe",
    sub({
      long: "all tags contains abbrev= candidates= exact-match long match= exclude= always first-parent dirty=? broken=? debug",
    }),
  ],
  ["name-rev", sub({ long: "tags refs= exclude= name-only always no-undefined all" })],
  ["merge-base", sub({ flags: "a", long: "all octopus independent is-ancestor fork-point" })],
  ["for-each-ref", sub({ long: `count= ${refs} exclude= omit-empty` }, signatureFree)],
  [
    "show-ref",
    sub({ flags: "dhqs", long: "head heads tags branches dereference hash=? verify exists quiet abbrev=?" }),
  ],
  ["count-objects", sub({ flags: "vH", long: "verbose human-readable" })],
  ["check-ignore", sub({ flags: "qvnz", long: "quiet verbose non-matching no-index" })],
  ["check-attr", sub({ flags: "a", long: "all cached" })],
  ["cherry", sub({ flags: "v", long: "abbrev=?" })],
  [
    "grep",
    sub(
      {
        flags: "iIvwEFGPnlLcqhHrzaopW",
        values: "eABCfm",
        long: "ignore-case invert-match word-regexp extended-regexp fixed-strings perl-regexp basic-regexp line-number files-with-matches files-without-match name-only count quiet show-function function-context heading break column cached untracked and or not all-match max-depth= after-context= before-context= context= color=? no-color only-matching null text full-name",
        number: true,
      },
      always,
      { files: ["f"], pattern: true },
    ),
  ],
  [
    "stash",
    sub({ ...log }, (read) => /^(?:list|show)$/.test(read.operands[0]?.text ?? "") && signatureFree(read)),
  ],
  [
    "worktree",
    sub(
      { long: "porcelain", flags: "vz" },
      ({ operands }) => operands.length === 1 && operands[0]!.text === "list",
    ),
  ],
  ["symbolic-ref", sub({ flags: "q", long: "short quiet" }, ({ operands }) => operands.length === 1)],
  ["config", sub({ long: "get get-all local global name-only show-origin", flags: "z" }, readsOneSetting)],
  ["version", sub({ long: "build-options" }, noOperands)],
]);

/** One harmless setting by its name: one word reads, two would set. */
function readsOneSetting({ operands }: ReadArguments): boolean {
  const [key] = operands;
  return (
    operands.length === 1 &&
    /^[\w-]+(?:\..+)?\.[\w-]+$/.test(key!.text) &&
    !/token|password|passwd|secret|header|credential|helper|key/i.test(key!.text)
  );
}
