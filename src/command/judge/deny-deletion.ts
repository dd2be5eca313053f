import { hasFlag, operandsOf, type JudgedCommand } from "./judged-command.js";
import { vitalPlace, type Vital } from "./vital-paths.js";

/** Deleting what the system, a person or the workspace depends on. */
export function denyRemoval(judged: JudgedCommand): string | undefined {
  const { texts, args } = judged;
  if (texts.some((text) => text.startsWith("--no-pre")))
    return "it deletes without regard for the root directory";
  const recursive = hasFlag(texts, /[rR]/, /^--r/);
  for (const field of operandsOf(args)) {
    const vital = vitalPlace(field, judged.cwd, judged.place);
    if (vital === undefined) continue;
    if (recursive) return `it deletes ${vital}`;
    if (field.pattern !== undefined && vital !== "a parent of the workspace")
      return `it deletes all files of ${vital}`;
  }
  return undefined;
}

/** Tests of `find` that restrict its results to something specific. */
const narrowing =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|newer\w*|[acm](?:time|min|newer)|size|empty|user|group|uid|gid|perm|links|inum|samefile|nouser|nogroup)$/;

/** `find` that deletes all it finds below a place that must not be deleted. */
export function denyFind(judged: JudgedCommand): string | undefined {
  const { texts, args } = judged;
  const deletes =
    texts.includes("-delete") ||
    texts.some(
      (text, at) =>
        /^-(?:exec|ok)(?:dir)?$/.test(text) && /(?:^|\/)(?:rm|shred|unlink|srm)$/.test(texts[at + 1] ?? ""),
    );
  if (!deletes) return undefined;
  const narrowed = texts.some((text, at) => narrowing.test(text) && !/^\*+$/.test(texts[at + 1] ?? ""));
  if (narrowed) return undefined;
  const end = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLP]$/.test(text));
  for (const field of args.slice(0, end < 0 ? undefined : end)) {
    const vital = field.text.startsWith("-") ? undefined : vitalPlace(field, judged.cwd, judged.place);
    if (vital !== undefined) return `it deletes ${vital}`;
  }
  return undefined;
}

/** Changing owners and modes of the whole system, or giving a program the rights of its owner. */
export function denyModes(judged: JudgedCommand): string | undefined {
  const { name, texts, args } = judged;
  const operands = operandsOf(args);
  if (name === "chmod") {
    const mode = texts.find(
      (text) => /^(?:[0-7]{3,5}|[ugoa]*[-+=][a-zA-Z,+=-]*)$/.test(text) && !/^-[A-Za-z]*R/.test(text),
    );
    const setsUser =
      mode !== undefined &&
      (/^0?[46][0-7]{3}$/.test(mode) || /(?:^|,)(?:[ugoa]*u[ugoa]*|a?)[+=][rwxX]*s/.test(mode));
    if (setsUser) return "it lets a program run with its owner's rights";
  }
  const recursive = hasFlag(texts, /R/, /^--rec/);
  for (const field of operands) {
    const vital = vitalPlace(field, judged.cwd, judged.place);
    const grave: readonly (Vital | undefined)[] = recursive
      ? ["the whole file system", "a system directory"]
      : ["the whole file system"];
    if (grave.includes(vital)) return `it changes the rights of ${vital}`;
  }
  return undefined;
}

/** Moving, emptying or overwriting as a way of deleting. */
export function denyMove(judged: JudgedCommand): string | undefined {
  const { name, args, texts } = judged;
  const operands = operandsOf(args);
  const sources = name === "rsync" ? operands.slice(-1) : operands.slice(0, -1);
  if (name === "rsync" && !texts.some((text) => text.startsWith("--del"))) return undefined;
  for (const field of sources) {
    const vital = vitalPlace(field, judged.cwd, judged.place);
    if (vital !== undefined && vital !== "a parent of the workspace") return `it moves or deletes ${vital}`;
  }
  return undefined;
}
