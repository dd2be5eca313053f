import { readerOfAnyWords } from "../judge/read-only-programs.js";
import { insidePaths, readOnlyPaths } from "../judge/read-only.js";
import { reportCommand } from "../report-command.js";
import { readArguments, toSpec } from "../read-options.js";
import { knownField, unknownField, type Field } from "../words/field.js";
import { runWords, type Unfolding } from "./unfolding.js";

/** Programs that run a command for each of many things. */
export function unfoldEach(unfolding: Unfolding): boolean {
  switch (unfolding.name) {
    case "xargs":
      return unfoldXargs(unfolding);
    case "parallel":
      return unfoldParallel(unfolding);
    case "find":
      return unfoldFind(unfolding);
    default:
      return unfoldFd(unfolding);
  }
}

const xargs = toSpec({
  flags: "0rtpxo",
  values: "nPILsadE",
  attached: "iel",
  long: "null no-run-if-empty verbose interactive exit max-args= max-procs= replace=? max-lines=? max-chars= arg-file= delimiter= eof=? open-tty",
  stop: true,
});

function unfoldXargs(unfolding: Unfolding): boolean {
  const { args, resolved, scope, walk } = unfolding;
  const read = readArguments(args, xargs);
  if (read === undefined) {
    reportCommand(resolved, scope, walk, { why: "xargs is called with options that are not known" });
    return true;
  }
  const command = read.operands.length > 0 ? read.operands : [knownField("echo")];
  const place = replaceMark(read.options);
  const fromFile = read.options.has("a") || read.options.has("arg-file");
  const text = fromFile ? undefined : resolved.stdin.text();
  const given =
    text === undefined
      ? undefined
      : text
          .split(/\s+/)
          .filter((word) => word !== "")
          .map(knownField);
  const fields =
    given !== undefined && given.length <= maxGiven
      ? fill(command, place, given)
      : fill(command, place, undefined, resolved.stdin.taint);
  if (given === undefined && place === undefined && !fromFile && feedsReader(unfolding, command)) return true;
  for (const words of fields) runWords(unfolding, words, { strict: false });
  return true;
}

const maxGiven = 64;

function replaceMark(options: ReadonlyMap<string, readonly Field[]>): string | undefined {
  const mark =
    options.get("I")?.[0]?.text ?? options.get("replace")?.[0]?.text ?? options.get("i")?.[0]?.text;
  return mark === "" ? "{}" : mark;
}

/** The commands that come of it: one with all words, or one for each where a mark says where they go. */
function fill(
  command: readonly Field[],
  mark: string | undefined,
  given: readonly Field[] | undefined,
  taint?: Field["taint"],
): readonly (readonly Field[])[] {
  if (mark === undefined) return [[...command, ...(given ?? [{ ...unknownField("…", taint), many: true }])]];
  const items = given ?? [unknownField(mark, taint)];
  return items.map((item) =>
    command.map((field) => {
      if (!field.text.includes(mark)) return field;
      const text = field.text.replaceAll(mark, item.text);
      return {
        ...field,
        text,
        known: field.known && item.known,
        plain: false,
        taint: item.taint ?? field.taint,
      };
    }),
  );
}

/** Programs whose output is names of files in the workspace. */
const listers = new Set(["find", "fd", "fdfind"]);

/** File names that were found in the workspace, handed to a program that cannot do more than read. */
function feedsReader(unfolding: Unfolding, command: readonly Field[]): boolean {
  const { resolved, scope, walk } = unfolding;
  const [program, ...args] = command;
  if (!scope.strict || program === undefined || !listers.has(resolved.stdin.from ?? "")) return false;
  const reading = { args, cwds: scope.cwds ?? [], place: walk.place };
  const named = readerOfAnyWords(program.text)?.(reading);
  if (named === undefined || named.some((field) => insidePaths(field, reading) === undefined)) return false;
  if (readOnlyPaths({ ...resolved, fields: [knownField("true")] }, scope, walk.place) === undefined)
    return false;
  if (!command.every(({ known, plain, pattern }) => known && plain && pattern === undefined)) return false;
  reportCommand({ ...resolved, fields: command }, { ...scope, via: [...scope.via, "xargs"] }, walk, {
    readOnly: true,
  });
  return true;
}

function unfoldParallel(unfolding: Unfolding): boolean {
  const { args } = unfolding;
  const end = args.findIndex(({ text }) => text.startsWith(":::"));
  const start = args.findIndex(
    ({ text }, at) => !text.startsWith("-") && !/^-[jNnIa]$/.test(args[at - 1]?.text ?? ""),
  );
  if (start < 0) return false;
  const command = args.slice(start, end < 0 ? undefined : end);
  const given = end < 0 ? [] : args.slice(end + 1).filter(({ text }) => !text.startsWith(":::"));
  if (command.length > 0) {
    const items =
      given.length > 0 && given.length <= maxGiven
        ? given
        : [unknownField("{}", unfolding.resolved.stdin.taint)];
    const marked = command.some(({ text }) => text.includes("{}"));
    for (const item of items) {
      const [words] = marked ? fill(command, "{}", [item]) : [[...command, item]];
      // One word alone is a line for a shell.
      if (words!.length === 1 || /\s/.test(words![0]!.text))
        unfolding.walk.source(words!.map(({ text }) => text).join(" "), {
          ...unfolding.scope,
          strict: false,
          via: [...unfolding.scope.via, "parallel"],
        });
      else runWords(unfolding, words!, { strict: false });
    }
  }
  return false;
}

function unfoldFind(unfolding: Unfolding): boolean {
  const { args, resolved, scope, walk } = unfolding;
  const whole = readOnlyPaths(resolved, scope, walk.place) !== undefined;
  for (const [at, { text }] of args.entries()) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
    const end = args.findIndex(
      (field, place) =>
        place > at && (field.text === ";" || (field.text === "+" && args[place - 1]?.text === "{}")),
    );
    const words = args.slice(at + 1, end < 0 ? undefined : end);
    if (words.length === 0) continue;
    if (whole)
      reportCommand({ ...resolved, fields: words }, { ...scope, via: [...scope.via, "find -exec"] }, walk, {
        readOnly: true,
      });
    else runFound(unfolding, words);
  }
  return false;
}

/** The names of found files are only known when it runs. */
function runFound(unfolding: Unfolding, words: readonly Field[]): void {
  const [fields] = fill(words, "{}", undefined);
  runWords({ ...unfolding, name: "find -exec" }, fields!, { strict: false });
}

function unfoldFd(unfolding: Unfolding): boolean {
  const { args } = unfolding;
  const at = args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  if (at >= 0 && at + 1 < args.length)
    runFound({ ...unfolding, name: "fd -x" }, [...args.slice(at + 1), knownField("{}")]);
  return false;
}
