import { readArguments, toSpec } from "../read-options.js";
import type { Field } from "../words/field.js";
import type { Reading } from "./read-only-programs.js";

const sed = toSpec({
  flags: "nErsuz",
  values: "el",
  long: "quiet silent regexp-extended separate unbuffered null-data expression= line-length= posix",
});

/** `sed` that prints: no editing in place, no file written, nothing run. */
export function sedReads({ args }: Reading): readonly Field[] | undefined {
  const read = readArguments(args, sed);
  if (read === undefined) return undefined;
  const given = [...(read.options.get("e") ?? []), ...(read.options.get("expression") ?? [])];
  const [first, ...rest] = read.operands;
  const scripts = given.length > 0 ? given : first === undefined ? [] : [first];
  if (
    scripts.length === 0 ||
    !scripts.every(({ text, pattern }) => pattern === undefined && isPrinting(text))
  )
    return undefined;
  const files = given.length > 0 ? read.operands : rest;
  return files.every(({ pattern }) => pattern === undefined || !/^[*?[]/.test(pattern)) ? files : undefined;
}

/** Commands that only print, skip or replace; `w`, `e`, `r` and their kin are not among them. */
const printing =
  /^\s*(?:(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/I?)\s*(?:,\s*(?:\d+|\$|[+~]\d+|\/(?:[^/\\\n]|\\.)*\/I?)\s*)?!?\s*)?(?:[pdqD=NnhHgGx]|q\s*\d*|s([/|#,:@%!])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiIM\d]*|y([/|#,:@%!])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2)?\s*$/;

function isPrinting(script: string): boolean {
  // A delimiter within brackets delimits nothing, so that a script could mean something else than it seems to.
  const bare = script.replaceAll(/\[\^?[^\][^/|#,:@%!;\\\n]+\]/g, "x");
  if (script.length > 2000 || bare.includes("[")) return false;
  // Whole first: a `;` may stand in a regular expression.
  if (printing.test(bare)) return true;
  return bare.split(/;|\n/).every((command) => printing.test(command));
}

const awk = toSpec({ values: "Fv", stop: true });

/** `awk` that prints: nothing in its program can write a file, run a command or read other files. */
export function awkReads({ args }: Reading): readonly Field[] | undefined {
  const read = readArguments(args, awk);
  const [program, ...files] = read?.operands ?? [];
  if (program === undefined || program.pattern !== undefined || !isHarmlessAwk(program.text))
    return undefined;
  // `name=value` is not a file, but its value counts as text; a word that looks like an option counts as one.
  const named = files.filter(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  return named.every(({ text, pattern }) => !/^[-*?[]/.test(pattern ?? text)) ? named : undefined;
}

function isHarmlessAwk(program: string): boolean {
  const bare = program.replaceAll(">=", "");
  return (
    !/[>|@`]|system|getline|close|fflush|ENVIRON|ARGV|ARGC|PROCINFO|SYMTAB|FUNCTAB|\binet\b|extension/.test(
      bare,
    ) && program.length <= 4000
  );
}

const jq = toSpec({
  flags: "rcMCSsnejaR",
  long: "raw-output compact-output monochrome-output color-output sort-keys slurp null-input exit-status raw-input ascii-output tab indent= join-output seq stream arg= argjson=",
});

/** `jq` on files inside: its filters reach no further, but for the environment and modules. */
export function jqReads({ args }: Reading): readonly Field[] | undefined {
  if (args.some(({ text }) => text === "--arg" || text === "--argjson")) return undefined;
  const read = readArguments(args, jq);
  const [filter, ...files] = read?.operands ?? [];
  if (filter === undefined || filter.pattern !== undefined) return undefined;
  if (
    /\benv\b|\$ENV|\b(?:include|import|input_filename|modulemeta|get_search_list|halt_error)\b/.test(
      filter.text,
    )
  )
    return undefined;
  return files.every(({ pattern }) => pattern === undefined || !/^[*?[]/.test(pattern)) ? files : undefined;
}
