import type { Field } from "../words/field.js";
import { baseName } from "../words/paths.js";
import type { Reader, Reading } from "./read-only-programs.js";
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

/**
 * `find` without actions that change anything. A program that it runs on the found files must only read, whichever
 * file it gets: `readerOfAnyWords` knows the programs for which that is certain.
 */
export function findReads(
  reading: Reading,
  readerOfAnyWords: (program: string) => Reader | undefined,
): readonly Field[] | undefined {
  const { args } = reading;
  const named: Field[] = [];
  let at = 0;
  while (/^-(?:[HLP]|O[0-3])$/.test(args[at]?.text ?? "")) at++;
  for (; at < args.length && !isExpression(args[at]!); at++) {
    if (/^[*?[]/.test(args[at]!.pattern ?? "")) return undefined;
    named.push(args[at]!);
  }
  while (at < args.length) {
    const step = args[at]!.pattern === undefined ? readAction(reading, at, readerOfAnyWords) : undefined;
    if (step === undefined) return undefined;
    named.push(...step.named);
    at = step.end;
  }
  return named;
}

/** The paths that one test or action names, and where the next one begins. */
interface Action {
  readonly end: number;
  readonly named: readonly Field[];
}

/** `undefined` where it is not known to only read. */
function readAction(
  reading: Reading,
  at: number,
  readerOfAnyWords: (program: string) => Reader | undefined,
): Action | undefined {
  const { text } = reading.args[at]!;
  if (bare.has(text)) return { end: at + 1, named: [] };
  if (text === "-exec" || text === "-execdir") {
    const run = readExec(reading, at + 1, readerOfAnyWords);
    // `-execdir` starts in the directory of each file, from where a path leads elsewhere.
    return text === "-execdir" && run !== undefined && run.named.length > 0 ? undefined : run;
  }
  const value = reading.args[at + 1];
  if (value === undefined) return undefined;
  if (files.has(text)) return { end: at + 2, named: [value] };
  if (!single.has(text) || (byName.test(text) && isSecretName(baseName(value.text), true))) return undefined;
  return { end: at + 2, named: [] };
}

function isExpression({ text }: Field): boolean {
  return (text.startsWith("-") && text.length > 1) || text === "(" || text === "!" || text === ",";
}

/** Where the command after `-exec` ends and which files it names, if it only reads, whichever file it gets. */
function readExec(
  reading: Reading,
  start: number,
  readerOfAnyWords: (program: string) => Reader | undefined,
): Action | undefined {
  const { args } = reading;
  const end = args.findIndex(
    ({ text }, at) => at >= start && (text === ";" || (text === "+" && args[at - 1]?.text === "{}")),
  );
  const program = args[start]?.text;
  if (end < 0 || program === undefined) return undefined;
  const words = args.slice(start + 1, end).filter(({ text }) => text !== "{}");
  const named = readerOfAnyWords(program)?.({ ...reading, args: words });
  if (named === undefined || words.some(({ text }) => text.includes("{}"))) return undefined;
  return { end: end + 1, named };
}
