import type { Field } from "../words/field.js";
import { baseName } from "../words/paths.js";
import { isTame, readOnlyPrograms } from "./read-only-programs.js";
import type { Reading } from "./read-only-programs.js";
import { isSecretName } from "./secret-names.js";

/** Tests and actions that take nothing, and change nothing. */
const bare = new Set(
  (
    "-print -print0 -ls -prune -quit -true -false -empty -not -and -or -a -o ! ( ) , -xdev -mount -depth -d -daystart -follow " +
    "-noleaf -readable -writable -executable -nouser -nogroup -warn -nowarn -ignore_readdir_race"
  ).split(" "),
);

/** Tests and actions that take one word. */
const single = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime " +
    "-mmin -atime -amin -ctime -cmin -newermt -newerct -perm -user -group -uid -gid -links -inum -lname -ilname -printf -used -fstype"
  ).split(" "),
);

const byName = /^-i?(?:name|path|wholename|regex)$/;
const files = new Set("-newer -anewer -cnewer -samefile".split(" "));

/** `find` without actions that change anything; what it runs on the files it finds must only read as well. */
export function findReads(reading: Reading): readonly Field[] | undefined {
  const { args } = reading;
  const named: Field[] = [];
  let at = 0;
  while (/^-(?:[HLP]|O[0-3])$/.test(args[at]?.text ?? "")) at++;
  for (; at < args.length && !isExpression(args[at]!); at++) {
    if (/^[*?[]/.test(args[at]!.pattern ?? "")) return undefined;
    named.push(args[at]!);
  }
  while (at < args.length) {
    const { text, pattern } = args[at]!;
    if (pattern !== undefined) return undefined;
    if (bare.has(text)) at++;
    else if (single.has(text) && at + 1 < args.length) {
      if (byName.test(text) && isSecretName(baseName(args[at + 1]!.text), true)) return undefined;
      at += 2;
    } else if (files.has(text) && at + 1 < args.length) {
      named.push(args[at + 1]!);
      at += 2;
    } else if (text === "-exec" || text === "-execdir") {
      const run = runsTame(reading, at + 1);
      // `-execdir` starts in the directory of each file, from where a path leads elsewhere.
      if (run === undefined || (text === "-execdir" && run.named.length > 0)) return undefined;
      named.push(...run.named);
      at = run.end;
    } else return undefined;
  }
  return named;
}

function isExpression({ text }: Field): boolean {
  return (text.startsWith("-") && text.length > 1) || text === "(" || text === "!" || text === ",";
}

/** Where the command after `-exec` ends and the files that it names, if it only reads whatever file it is given. */
function runsTame(
  reading: Reading,
  start: number,
): { readonly end: number; readonly named: readonly Field[] } | undefined {
  const { args } = reading;
  const end = args.findIndex(
    ({ text }, at) => at >= start && (text === ";" || (text === "+" && args[at - 1]?.text === "{}")),
  );
  const program = args[start]?.text;
  if (end < 0 || program === undefined || !isTame(program)) return undefined;
  const words = args.slice(start + 1, end).filter(({ text }) => text !== "{}");
  const named = readOnlyPrograms.get(program)?.({ ...reading, args: words });
  if (named === undefined || words.some(({ text }) => text.includes("{}"))) return undefined;
  return { end: end + 1, named };
}
