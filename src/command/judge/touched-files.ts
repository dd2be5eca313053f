import { knownField, type Field } from "../words/field.js";
import { baseName } from "../words/paths.js";
import { operandsOf, type JudgedCommand } from "./judged-command.js";

/** Files that a command certainly changes in any way, judged by its words: content, name, place or permissions. */
export function changedFiles(judged: Named): readonly Field[] {
  const { name, args } = judged;
  if (inPlace.has(name)) return operandsOf(args);
  switch (name) {
    case "touch":
      return operandsOf(withoutValues(args, /^(?:-[drt]|--(?:date|reference))$/));
    case "mkdir":
    case "mkfifo":
      return operandsOf(withoutValues(args, /^(?:-m|--mode)$/));
    case "chmod":
    case "chown":
    case "chgrp":
      return changedRights(args);
    case "mv":
      return [...writtenFiles(judged), ...movedAway(args)];
    case "git":
      return changedByGit(args);
    default:
      return writtenFiles(judged);
  }
}

/** Files whose content a command certainly writes, judged by its words. */
export function writtenFiles(judged: Named): readonly Field[] {
  return (Object.hasOwn(writers, judged.name) ? writers[judged.name]?.(judged) : undefined) ?? [];
}

type Named = Pick<JudgedCommand, "name" | "args" | "texts">;

const inOptions = (apart: RegExp) => {
  return ({ args }: Named) => valuesOf(args, apart, /^(?:-[oO]|--output(?:-document)?=)(?=.)/);
};
const written = ({ args }: Named) => operandsOf(withoutValues(args, /^(?:-[sr]|--(?:size|reference))$/));
const copiedTo = ({ args, texts }: Named) => copied(args, texts);
const editedByAwk = ({ args, texts }: Named) =>
  editsInPlace(texts) ? operandsOf(withoutValues(args, /^(?:-[iFv]|--include)$/)).slice(1) : [];
const editedBySed = ({ args, texts }: Named) =>
  texts.some((text) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text)) ? operandsOf(args).slice(1) : [];

const writers: Readonly<Record<string, (judged: Named) => readonly Field[]>> = {
  tee: written,
  truncate: written,
  sponge: written,
  cp: copiedTo,
  mv: copiedTo,
  install: copiedTo,
  ln: copiedTo,
  rsync: copiedTo,
  scp: copiedTo,
  patch: ({ args }) => patched(args),
  gawk: editedByAwk,
  awk: editedByAwk,
  dd: ({ args }) => args.filter(({ text }) => text.startsWith("of=")).map((field) => cut(field, 3)),
  sort: inOptions(/^(?:-o|--output)$/),
  curl: inOptions(/^(?:-o|--output)$/),
  wget: inOptions(/^(?:-\w*O|--output-document)$/),
  sed: editedBySed,
  perl: editedBySed,
};

/** Programs that change or remove every file that they name. */
const inPlace = new Set(
  "rm rmdir unlink shred gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 dos2unix unix2dos ed".split(" "),
);

/** The mode or owner is the first operand, unless it is taken from another file. */
function changedRights(args: readonly Field[]): readonly Field[] {
  const lent = args.some(({ text }) => /^--(?:reference|from-file)/.test(text));
  // A mode such as `-x` looks like an option.
  const words = args.filter(({ text }) => !/^-[rwxXst]+$/.test(text) || text === "-R");
  const symbolic = words.length < args.length;
  const operands = operandsOf(withoutValues(words, /^--(?:reference|from)$/));
  return lent || symbolic ? operands : operands.slice(1);
}

/** A moved file is no longer at its old path. */
function movedAway(args: readonly Field[]): readonly Field[] {
  const hasTarget = args.some(({ text }) => /^(?:-\w*t|-t.+|--target-directory(?:=.*)?)$/.test(text));
  const operands = operandsOf(withoutValues(args, /^(?:-\w*t|-S|--target-directory|--suffix)$/));
  return hasTarget ? operands : operands.slice(0, -1);
}

/** The file to patch, and where the outcome or the rejected parts go; without one the patch itself says which. */
function patched(args: readonly Field[]): readonly Field[] {
  const values =
    /^(?:-[pFDdiroBVYzg]|--(?:strip|fuzz|ifdef|directory|input|reject-file|output|prefix|suffix))$/;
  const outputs = valuesOf(args, /^(?:-[or]|--(?:output|reject-file))$/, /^--(?:output|reject-file)=(?=.)/);
  return [...operandsOf(withoutValues(args, values)).slice(0, 1), ...outputs];
}

function editsInPlace(texts: readonly string[]): boolean {
  return texts.some(
    (text, at) =>
      /^(?:-i|--include=)\/?(?:.*\/)?inplace/.test(text) ||
      (/^(?:-i|--include)$/.test(texts[at - 1] ?? "") && /(?:^|\/)inplace(?:\.awk)?$/.test(text)),
  );
}

/** Files of the work tree that git removes, moves or takes back. */
function changedByGit(args: readonly Field[]): readonly Field[] {
  const [verb, ...rest] = operandsOf(withoutValues(args, /^-[Cc]$/));
  if (verb === undefined) return [];
  if (/^(?:rm|mv|restore|clean)$/.test(verb.text)) return rest;
  const end = args.findIndex(({ text }) => text === "--");
  return verb.text === "checkout" && end >= 0 ? args.slice(end + 1) : [];
}

/** The target, and the file in it where the target is a directory. */
function copied(args: readonly Field[], texts: readonly string[]): readonly Field[] {
  const into = valuesOf(args, /^(?:-[a-zA-Z]*t|--target-directory)$/, /^(?:-t|--target-directory=)(?=.)/);
  const operands = operandsOf(
    withoutValues(args, /^(?:-[a-zA-Z]*t|-[mogSePpiF]|--target-directory|--mode|--owner|--group|--rsh)$/),
  );
  // `ln -s ../there` makes a link of that name here.
  if (into.length === 0 && operands.length === 1)
    return operands.map(({ text }) => knownField(baseName(text)));
  const [target] = into.length > 0 ? into : operands.slice(-1);
  const sources = into.length > 0 ? operands : operands.slice(0, -1);
  if (target === undefined || /^[^/]*:/.test(target.text)) return [];
  if (!target.known || texts.length === 0) return [];
  const named = sources.filter(({ known, pattern }) => known && pattern === undefined);
  return [target, ...named.map(({ text }) => knownField(`${target.text}/${baseName(text)}`))];
}

/** Files that a command reads and shows, sends or copies; not those that it only looks at. */
export function readFiles({ name, args }: Pick<JudgedCommand, "name" | "args">): readonly Field[] {
  if (readers.has(name)) return operandsOf(args);
  if (searchers.has(name)) return operandsAfterPattern(args);
  switch (name) {
    case "cp":
    case "mv":
    case "ln":
    case "install":
    case "rsync":
    case "scp":
      return operandsOf(withoutValues(args, /^(?:-[tmogSePpiF]|--rsh)$/)).slice(0, -1);
    case "dd":
      return args.filter(({ text }) => text.startsWith("if=")).map((field) => cut(field, 3));
    case "curl":
    case "http":
    case "https":
    case "xh":
      return uploads(args);
    case "wget":
      return valuesOf(args, /^--(?:post|body)-file$/, /^--(?:post|body)-file=/);
    default:
      return [];
  }
}

const readers = new Set(
  (
    "cat tac nl head tail less more most bat batcat view strings xxd hexdump hd od base64 base32 basenc uuencode rev sort uniq cut " +
    "paste fold fmt diff cmp comm tar zip 7z 7za gzip bzip2 xz zstd cpio ar source . xclip xsel pbcopy mail mutt look pr column " +
    "iconv dos2unix split csplit shuf expand unexpand zcat"
  ).split(" "),
);
const searchers = new Set("grep egrep fgrep rg ag ack zgrep sed awk gawk mawk jq yq".split(" "));

/** The first operand is the pattern, unless an option named it. */
function operandsAfterPattern(args: readonly Field[]): readonly Field[] {
  const given = args.some(({ text }) =>
    /^(?:-[a-zA-Z]*[ef]|--(?:regexp|file|expression)(?:=.*)?)$/.test(text),
  );
  const operands = operandsOf(
    withoutValues(args, /^(?:-[a-zA-Z]*[efABCmgtTF]|-v|--(?:regexp|file|expression))$/),
  );
  return given ? operands : operands.slice(1);
}

/** Files that are uploaded: `-d @file`, `-F name=@file`, `-T file`, `file://…`. */
function uploads(args: readonly Field[]): readonly Field[] {
  const found = args.flatMap((field) => {
    const marked =
      /^(?:-[dF])?(?:[^@=]*=)?[@<]/.exec(field.text) ?? /^file:\/\/(?:localhost)?/.exec(field.text);
    return marked === null ? [] : [cut(field, marked[0].length)];
  });
  const transfers = args.flatMap(({ text }, at) =>
    /^(?:-\w*T|--upload-file)$/.test(text) ? args.slice(at + 1, at + 2) : [],
  );
  return [...found, ...transfers];
}

function valuesOf(args: readonly Field[], apart: RegExp, joined: RegExp): Field[] {
  return args.flatMap((field, at) => {
    if (apart.test(field.text)) return args.slice(at + 1, at + 2);
    const start = joined.exec(field.text);
    return start === null ? [] : [cut(field, start[0].length)];
  });
}

/** Without the words that are values of these options. */
function withoutValues(args: readonly Field[], options: RegExp): readonly Field[] {
  return args.filter((_, at) => at === 0 || !options.test(args[at - 1]!.text));
}

/** The rest of a word behind its first letters. */
function cut(field: Field, letters: number): Field {
  const { text, pattern, wild, guess } = field;
  return {
    ...field,
    text: text.slice(letters),
    ...(pattern !== undefined && { pattern: pattern.slice(letters) }),
    ...(wild !== undefined && { wild: wild.slice(letters) }),
    ...(guess !== undefined && { guess: guess.slice(letters) }),
  };
}
