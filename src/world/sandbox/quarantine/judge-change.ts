import { basename, dirname, resolve } from "node:path";
import { formatGitConfig, keyOf, parseGitConfig, type GitSetting } from "./git-config.js";
import { riskyAttribute } from "./git-attributes.js";
import { isHarmlessAddress, isHarmlessModule, isHarmlessSetting } from "./git-settings.js";

/** What a path is for, which decides how a change of it is judged. */
export type PathRole =
  /** By its name alone: protected or careful. */
  | "named"
  /** A git configuration file, or one that such a file includes. */
  | "settings"
  | "modules"
  | "attributes"
  | "hook"
  /** A file `.git`, which names a git folder. */
  | "git-file"
  /** Names the git folder whose settings count. */
  | "commondir"
  | "alternates"
  /** A file in `remotes`, or one in `branches`: old forms of a remote. */
  | "remote"
  | "branch"
  /** Steps of a rebase that somebody will continue. */
  | "todo"
  /** The program that merges its steps. */
  | "strategy"
  /** Options of a cherry-pick or revert that somebody will continue. */
  | "sequencer";

/** The content of a path: bytes of a file, or the target of a link. */
export type PathContent =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "link"; readonly target: string }
  /** A file that is too large, or neither a file, folder nor link. */
  | { readonly kind: "other" };

/** A path that was created, changed or removed. */
export interface PathChange {
  /** Absolute. */
  readonly path: string;
  readonly role: PathRole;
  /** Why the path is judged: a pattern, or a kind of git file. */
  readonly rule: string;
  /** `undefined` if it did not exist. */
  readonly before: PathContent | undefined;
  /** `undefined` if it no longer exists. */
  readonly after: PathContent | undefined;
}

/** What judging a change needs. */
export interface JudgeDeps {
  /** Whether an absolute path is writable for the command, or belongs to the repository of the workspace. */
  readonly isInside: (path: string) => boolean;
}

/** Whether a change stays or is held back. */
export type ChangeVerdict =
  | { readonly held: false }
  | {
      readonly held: true;
      readonly rule: string;
      readonly reason: string;
      /** The harmless part of the change, if it can be separated. @default the previous content */
      readonly instead?: Uint8Array | undefined;
    };

const passed: ChangeVerdict = { held: false };

/** Judge a change by the role of the path and its content. Pure: it uses nothing but its arguments. */
export function judgeChange(change: PathChange, space: JudgeDeps): ChangeVerdict {
  const { role, after, rule } = change;
  if (sameContent(change.before, after)) return passed;
  if (after === undefined) return judgeRemoval(change);
  if (role === "named") return held(rule, reasons.named);
  if (role === "hook") return held(rule, reasons.hook);
  if (after.kind !== "file") return held(rule, reasons.unreadable);
  const text = Buffer.from(after.bytes).toString("utf8");
  if (role === "settings" || role === "modules") return judgeSettings(change, text, space);
  if (role === "remote" || role === "branch") return judgeAddresses(rule, addressesIn(role, text));
  return judgeText(change, text, space);
}

/** Whether two contents are the same. */
function sameContent(one: PathContent | undefined, other: PathContent | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind === "file" && other.kind === "file") return Buffer.compare(one.bytes, other.bytes) === 0;
  return one.kind === "link" && other.kind === "link" && one.target === other.target;
}

const reasons = {
  named: "other programs later run it or load it as configuration",
  hook: "git runs it",
  unreadable: "git uses it as configuration, and it cannot be judged",
  removed: "other programs use it as configuration, and it was removed",
} as const;

function held(rule: string, reason: string, instead?: Uint8Array): ChangeVerdict {
  return { held: true, rule, reason, ...(instead !== undefined && { instead }) };
}

/** A removed file runs nothing, but settings that forbid something would be lost with it. */
function judgeRemoval({ role, rule, before }: PathChange): ChangeVerdict {
  if (role === "named" || role === "hook") return held(rule, reasons.removed);
  if (role !== "settings" || before?.kind !== "file") return passed;
  return held(rule, reasons.removed);
}

function judgeSettings(change: PathChange, text: string, { isInside }: JudgeDeps): ChangeVerdict {
  const { path, role, rule, before } = change;
  const folder = dirname(path);
  const place = { leadsInside: (value: string) => isInside(resolve(folder, value)) };
  const isHarmless = (setting: GitSetting): boolean =>
    role === "modules" ? isHarmlessModule(setting) : isHarmlessSetting(setting, place);
  const now = parseGitConfig(text);
  const earlier = before?.kind === "file" ? parseGitConfig(Buffer.from(before.bytes).toString("utf8")) : [];
  if (now === undefined || earlier === undefined)
    return held(rule, "its settings cannot be read with certainty");
  const [own, plain] = partition(earlier, isHarmless);
  const [risky, harmless] = partition(now, isHarmless);
  if (sameSettings(own, risky)) return passed;
  const known = new Set(own.map(lineOf));
  const added = risky.filter((each) => !known.has(lineOf(each)));
  const named = [...new Set((added.length > 0 ? added : own).map(keyOf))].slice(0, 5).join(", ");
  const reason = `it ${added.length > 0 ? "sets" : "changes"} ${named}, which can make git run a program`;
  // If nothing else changed, the file is restored exactly, including comments.
  if (before !== undefined && sameSettings(plain, harmless)) return held(rule, reason);
  return held(rule, reason, Buffer.from(formatGitConfig([...harmless, ...own])));
}

function partition(
  settings: readonly GitSetting[],
  test: (setting: GitSetting) => boolean,
): [GitSetting[], GitSetting[]] {
  return [settings.filter((each) => !test(each)), settings.filter((each) => test(each))];
}

function sameSettings(one: readonly GitSetting[], other: readonly GitSetting[]): boolean {
  return one.map(lineOf).join("\0") === other.map(lineOf).join("\0");
}

function lineOf(setting: GitSetting): string {
  return `${keyOf(setting)}\n${setting.value}`;
}

function judgeText({ path, role, rule }: PathChange, text: string, { isInside }: JudgeDeps): ChangeVerdict {
  const folder = dirname(path);
  if (role === "attributes") {
    const risky = riskyAttribute(text);
    return risky === undefined ? passed : held(rule, `it sets ${risky}, which can make git run a program`);
  }
  if (role === "todo") {
    const isRun = /^\s*(?:x|exec)(?:\s|$)/m.test(text);
    return isRun ? held(rule, "it contains commands that the rest of a rebase would run") : passed;
  }
  if (role === "strategy" || role === "sequencer") {
    const names = role === "strategy" ? [text.trim()] : strategiesIn(text);
    const isPlain = names?.every((name) => /^[\w-]*$/.test(name)) === true;
    return isPlain ? passed : held(rule, "it names a program that merges the rest");
  }
  if (role === "alternates") {
    const outside = text
      .split("\n")
      .find((line) => line !== "" && !line.startsWith("#") && !isInside(resolve(folder, line)));
    return outside === undefined
      ? passed
      : held(rule, `it names objects elsewhere: ${outside.slice(0, 200)}`);
  }
  const named = (role === "git-file" ? /^gitdir: (.+?)\s*$/ : /^(.+?)\s*$/).exec(text)?.[1];
  if (named === undefined || named.includes("\n")) return held(rule, reasons.unreadable);
  const target = resolve(folder, named);
  const isFine = role === "git-file" ? isInside(target) : isOwnMain(folder, target);
  return isFine ? passed : held(rule, `it leads git to ${named.slice(0, 200)}`);
}

function judgeAddresses(rule: string, addresses: readonly string[]): ChangeVerdict {
  const risky = addresses.find((address) => !isHarmlessAddress(address));
  if (risky === undefined) return passed;
  return held(rule, `it names ${risky.slice(0, 200)}, which can make git run a program`);
}

/** The addresses in an old form of a remote. */
function addressesIn(role: "remote" | "branch", text: string): string[] {
  const [first = "", ...others] = text.split("\n");
  if (role === "branch") return [(first.split("#")[0] ?? "").trim()];
  return [first, ...others].flatMap((line) => /^URL:(.*)/s.exec(line)?.[1]?.trim() ?? []);
}

/** Git writes this file only for a linked work tree, where it names the main git folder. */
function isOwnMain(folder: string, target: string): boolean {
  return basename(dirname(folder)) === "worktrees" && target === dirname(dirname(folder));
}

/** The strategies in the options of a sequence; git runs the program `git-merge-<strategy>`. */
function strategiesIn(text: string): string[] | undefined {
  return parseGitConfig(text)
    ?.filter(({ name }) => name === "strategy")
    .map(({ value }) => value);
}
