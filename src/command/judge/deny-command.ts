import type { Scope } from "../scope.js";
import type { ResolvedCommand, ShellContext } from "../walk.js";
import { absolutePath } from "../words/paths.js";
import { likely, operandsOf, toJudgedCommand, type JudgedCommand } from "./judged-command.js";
import { credentialsAt } from "./credentials.js";
import { deniedRemoval, deniedWrite } from "./denied-writes.js";
import { denyProgram } from "./denied-programs.js";
import { denyFind, denyModes, denyMove, denyRemoval } from "./deny-deletion.js";
import { denyNetwork } from "./deny-network.js";
import { readFiles, writtenFiles } from "./touched-files.js";

/** Why a command must never run; `undefined` if it may run with consent. */
export function denyCommand(
  resolved: ResolvedCommand,
  scope: Scope,
  place: ShellContext,
): string | undefined {
  const judged = toJudgedCommand(resolved, scope, place);
  if (judged === undefined) return undefined;
  return (
    denyProgram(judged) ?? special.get(judged.name)?.(judged) ?? denyNetwork(judged) ?? denyFiles(judged)
  );
}

type Rule = (judged: JudgedCommand) => string | undefined;

const special: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...["rm", "srm", "shred", "unlink", "rmdir"].map((name): [string, Rule] => [name, denyRemovals]),
  ["find", denyFind],
  ...["chmod", "chown", "chgrp", "chattr", "setfacl"].map((name): [string, Rule] => [name, denyModes]),
  ...["mv", "rsync"].map((name): [string, Rule] => [name, denyMove]),
  ...["kill", "pkill", "killall", "skill"].map((name): [string, Rule] => [name, denyKill]),
  [
    "init",
    ({ texts }) => (/^[0-6sS]$/.test(texts[0] ?? "") ? "it changes the state of the machine" : undefined),
  ],
  ["date", denyDate],
  ["install", denyInstall],
  [
    "history",
    ({ texts }) =>
      texts.some((text) => /^-\w*c/.test(text)) ? "it erases the history of commands" : undefined,
  ],
  [
    "gpg",
    ({ texts }) =>
      texts.some((text) => text.startsWith("--export-secret")) ? "it reads GnuPG keys" : undefined,
  ],
  [
    "security",
    ({ texts }) =>
      /^(?:dump-keychain|export)$/.test(texts[0] ?? "") ||
      ((texts[0] ?? "").startsWith("find-") && texts.includes("-w"))
        ? "it reads a password store"
        : undefined,
  ],
  ...["docker", "podman", "nerdctl"].map((name): [string, Rule] => [name, denyContainer]),
  [
    "diskutil",
    ({ texts }) =>
      /^(?:erase|partition|secureErase|zero|reformat|apfs)/i.test(texts[0] ?? "")
        ? "it changes disks"
        : undefined,
  ],
  [
    "nvme",
    ({ texts }) =>
      /^(?:format|sanitize|write|delete-ns)/.test(texts[0] ?? "") ? "it erases a disk" : undefined,
  ],
  [
    "hdparm",
    ({ texts }) =>
      texts.some((text) => /^--(?:security|trim|yes-i|write|make-bad)/.test(text))
        ? "it erases a disk"
        : undefined,
  ],
  [
    "badblocks",
    ({ texts }) => (texts.some((text) => /^-\w*[wn]/.test(text)) ? "it writes over a disk" : undefined),
  ],
]);

function denyRemovals(judged: JudgedCommand): string | undefined {
  const found = denyRemoval(judged);
  if (found !== undefined) return found;
  for (const field of operandsOf(judged.args)) {
    const what =
      field.pattern === undefined
        ? deniedRemoval(absolutePath(likely(field) || ".", judged.cwd), judged.place)
        : undefined;
    if (what !== undefined) return `it deletes ${what}`;
  }
  return undefined;
}

/** An operand that does not begin with `+` sets the clock. */
function denyDate({ texts }: JudgedCommand): string | undefined {
  const sets = texts.some(
    (text) =>
      /^(?:-\w*s|--set(?:=.*)?|-s.+|\d{8}(?:\d{2,4})?(?:\.\d\d)?)$/.test(text) && !/^-[dIr]/.test(text),
  );
  const value = texts.findIndex((text) => text === "-d" || text === "--date" || text === "-r");
  // `-j` of other systems sets nothing.
  const asks = value >= 0 || texts.some((text) => /^-\w*j/.test(text));
  return sets && !asks ? "it sets the clock" : undefined;
}

function denyInstall({ texts }: JudgedCommand): string | undefined {
  const modes = texts.flatMap((text, at) =>
    text === "-m" ? [texts[at + 1] ?? ""] : [/^(?:-m|--mode=)(.+)$/.exec(text)?.[1] ?? ""],
  );
  return modes.some((mode) => /^0?[46][0-7]{3}$|u[+=]\w*s/.test(mode))
    ? "it lets a program run with its owner's rights"
    : undefined;
}

/** A container that gets the complete file system does not isolate anything. */
function denyContainer({ texts }: JudgedCommand): string | undefined {
  if (!/^(?:run|create|exec)$/.test(texts.find((text) => !text.startsWith("-")) ?? "")) return undefined;
  const whole = texts.some((text, at) => {
    const value = /^(?:-v|--volume)$/.test(text)
      ? (texts[at + 1] ?? "")
      : (/^(?:-v|--volume=)(.+)$/.exec(text)?.[1] ?? "");
    return (
      (value.startsWith("/:") && !/:ro(?:,|$)/.test(value)) || /(?:^|,)(?:source|src)=\/(?:,|$)/.test(text)
    );
  });
  return whole ? "it hands the whole file system to a container" : undefined;
}

function denyFiles(judged: JudgedCommand): string | undefined {
  const { cwd, place } = judged;
  for (const field of readFiles(judged)) {
    const secrets = credentialsAt(field, cwd, place);
    if (secrets !== undefined) return `it reads ${secrets}`;
  }
  for (const field of writtenFiles(judged)) {
    const text = field.pattern === undefined ? likely(field) : "";
    const what = text === "" ? undefined : deniedWrite(absolutePath(text, cwd), place);
    if (what !== undefined) return `it writes to ${what}`;
  }
  return undefined;
}

/** Ending all processes, the first of all, or all of a user. */
function denyKill({ name, texts }: JudgedCommand): string | undefined {
  if (name === "kill") return killsAll(texts) ? "it ends all processes" : undefined;
  const patterns = texts.filter((text) => !text.startsWith("-"));
  if (texts.some((text) => /^-\w*r/.test(text) || text === "--regexp") || name === "pkill") {
    if (patterns.some((text) => /^(?:\.[*+]?|\^|\$|\^?\.\*\$?|\[a-z\]|)$/.test(text)))
      return "it ends all processes";
  }
  const byUser = texts.some(
    (text) => /^-\w*[uU]$/.test(text) || text.startsWith("--user") || text === "--euid" || text === "--uid",
  );
  return byUser && patterns.length <= 1 && !texts.some((text) => /^-\w*[fx]$/.test(text))
    ? "it ends all processes of a user"
    : undefined;
}

/** After the signal, -1 means everybody. */
function killsAll(texts: readonly string[]): boolean {
  // Signal 0 only asks whether the process exists.
  if (texts.some((text) => text === "-l" || text === "-L") || texts[0] === "-0") return false;
  // Other signals only tell the first process something.
  const ends = !/^-(?!9$|15$|KILL$|TERM$|SIGKILL$|SIGTERM$|s$|n$|-)/.test(texts[0] ?? "");
  let rest = texts;
  if (/^-(?:s|n|-signal)$/.test(rest[0] ?? "")) rest = rest.slice(2);
  else if (/^-(?:\d+|[A-Z]\w*|-signal=.*)$/i.test(rest[0] ?? "")) rest = rest.slice(1);
  return rest.some((text) => text === "-1" || (ends && text === "1"));
}
