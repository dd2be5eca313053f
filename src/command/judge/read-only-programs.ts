import {
  readArguments,
  toSpec,
  type OptionSpec,
  type ReadArguments,
  type WrittenSpec,
} from "../read-options.js";
import type { ShellContext } from "../walk.js";
import type { Field } from "../words/field.js";
import { findReads } from "./read-only-find.js";
import { awkReads, jqReads, sedReads } from "./read-only-scripts.js";
import { textPrograms } from "./read-only-text.js";
import { isSecretVariable } from "./secret-names.js";

/** A command that is asked whether it only reads. */
export interface Reading {
  readonly args: readonly Field[];
  readonly cwds: readonly string[];
  readonly place: ShellContext;
}

/** The words that name files; `undefined` where the command is not known to only read. */
export type Reader = (reading: Reading) => readonly Field[] | undefined;

export interface ReaderSpec extends WrittenSpec {
  /** What its operands are. @default "paths" */
  readonly operands?: "paths" | "text" | "none" | ((read: ReadArguments) => readonly Field[] | undefined);
  /** Options whose values are files. */
  readonly files?: readonly string[];
  /** Even unknown words, such as file names from a glob, cannot make it do more. */
  readonly anyWords?: boolean;
}

function toReader(written: ReaderSpec): Reader {
  const spec: OptionSpec = toSpec(written);
  const { operands = "paths", files = [], anyWords = false } = written;
  return ({ args }) => {
    if (!anyWords && args.some(couldBeOption)) return undefined;
    const read = readArguments(args, spec);
    if (read === undefined) return undefined;
    const named = files.flatMap((name) => read.options.get(name) ?? []);
    if (operands === "text") return named;
    if (operands === "none") return read.operands.length === 0 ? named : undefined;
    const paths = operands === "paths" ? read.operands : operands(read);
    return paths && [...named, ...paths];
  };
}

/** `printf -v` sets a variable, and evaluates an index in its name. */
function mayBeOption(field: Field): boolean {
  return field.text.startsWith("-") || couldBeOption(field);
}

/** A glob that begins with a wildcard can bring a file name that reads as an option. */
function couldBeOption({ pattern }: Field): boolean {
  return pattern !== undefined && /^[*?[]/.test(pattern);
}

/** The reader of a program that more words cannot make do more than read. */
export function readerOfAnyWords(program: string): Reader | undefined {
  return listed[program]?.anyWords === true ? readOnlyPrograms.get(program) : undefined;
}

/** Without `-x` and `-X`, which run a program on each result. */
const fd: ReaderSpec = {
  flags: "HIuLaslpi0q1gF",
  values: "deEtcSjC",
  long: "hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted follow absolute-path list-details full-path ignore-case case-sensitive glob regex fixed-strings print0 quiet max-results= max-depth= min-depth= exact-depth= extension= exclude= type= color= size= changed-within= changed-before= base-directory= search-path= one-file-system threads= strip-cwd-prefix=? prune path-separator= relative-path and=",
  files: ["C", "base-directory", "search-path"],
  operands: ({ operands }) => operands.slice(1),
};

const listed: Readonly<Record<string, ReaderSpec>> = {
  ...textPrograms,
  ls: {
    flags: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
    values: "ITw",
    long: "all almost-all author escape ignore-backups classify=? color=? directory dereference file-type full-time group-directories-first no-group human-readable si inode kibibytes format= hide= ignore= indicator-style= literal numeric-uid-gid quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= context zero",
    anyWords: true,
  },
  stat: { flags: "LftZ", values: "c", long: "dereference file-system format= printf= terse", anyWords: true },
  file: {
    flags: "bihLkNnrsv0E",
    values: "FeP",
    long: "brief mime mime-type mime-encoding dereference no-dereference keep-going raw separator= print0",
  },
  du: {
    flags: "0abchDHklLmPsSx",
    values: "dBt",
    long: "all apparent-size bytes total human-readable si summarize max-depth= block-size= one-file-system separate-dirs threshold= time=? exclude= null",
    anyWords: true,
  },
  df: {
    flags: "ahHiklPT",
    values: "Btx",
    long: "all human-readable si inodes local portability print-type total type= exclude-type= output=?",
  },
  fd: fd,
  fdfind: fd,
  tree: {
    flags: "adflxiqNQpugshDFrtUvcCnAS",
    values: "LPIH",
    long: "dirsfirst filelimit= noreport prune gitignore matchdirs ignore-case du si inodes device sort= filesfirst charset=",
    anyWords: false,
  },
  realpath: {
    flags: "emLPqsz",
    long: "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to= relative-base=",
    files: ["relative-to", "relative-base"],
  },
  readlink: {
    flags: "femnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
  },
  basename: { flags: "az", values: "s", long: "multiple suffix= zero", operands: "text" },
  dirname: { flags: "z", long: "zero", operands: "text" },
  pwd: { flags: "LP", operands: "none" },
  true: { operands: "text" },
  false: { operands: "text" },
  ":": { operands: "text" },
  which: { flags: "as", long: "all", operands: "text" },
  type: { flags: "afptP", operands: "text" },
  help: { flags: "dms", operands: "text" },
  wait: { operands: "text" },
  // Without a name it prints all variables.
  printenv: {
    flags: "0",
    long: "null",
    operands: ({ operands }) =>
      operands.length > 0 && operands.every(({ text }) => /^\w+$/.test(text) && !isSecretVariable(text))
        ? []
        : undefined,
  },
  whoami: { operands: "none" },
  id: { flags: "ugGnrz", long: "user group groups name real zero", operands: "text" },
  groups: { operands: "text" },
  hostname: { flags: "sfi", long: "short fqdn", operands: "none" },
  uname: {
    flags: "asnrvmpio",
    long: "all kernel-name nodename kernel-release kernel-version machine processor operating-system",
    operands: "none",
  },
  arch: { operands: "none" },
  nproc: { long: "all", operands: "none" },
  uptime: { flags: "ps", long: "pretty since", operands: "none" },
  free: { flags: "bkmghtlwv", long: "bytes kibi mebi gibi human total wide", operands: "none" },
  tty: { flags: "s", operands: "none" },
  locale: { flags: "a", long: "all-locales", operands: "none" },
  getconf: { flags: "a", operands: "text" },
  seq: {
    flags: "w",
    values: "fs",
    long: "equal-width format= separator=",
    operands: ({ operands }) => (operands.every(({ text }) => /^-?[\d.]+$/.test(text)) ? [] : undefined),
    number: true,
  },
  sleep: {
    operands: ({ operands }) =>
      operands.every(({ text }) => /^\d{1,6}(?:\.\d+)?[smhd]?$/.test(text)) ? [] : undefined,
  },
  exit: { operands: "text", number: true },
  return: { operands: "text", number: true },
  date: {
    flags: "uR",
    values: "dr",
    long: "date= utc universal rfc-email rfc-2822 rfc-3339= iso-8601=? reference=",
    files: ["r", "reference"],
    // Without a `+` it would set the clock.
    operands: ({ operands }) => (operands.every(({ text }) => text.startsWith("+")) ? [] : undefined),
  },
  // Without options it prints all variables.
  set: {
    flags: "eux",
    values: "o",
    operands: ({ options, operands }) => (options.size > 0 && operands.length === 0 ? [] : undefined),
  },
  cd: {
    flags: "LPe",
    operands: ({ operands }) => (operands.length === 1 && operands[0]!.text !== "-" ? operands : undefined),
  },
  ps: {
    flags: "eAfFlawxju",
    values: "opuCG",
    long: "sort= pid= user= no-headers forest",
    operands: ({ operands }) =>
      operands.every(({ text }) => /^(?:aux|ax|auxw*|auxf|axf|x)$/.test(text)) ? [] : undefined,
  },
};

/** Which short options ask for the version, besides `--version`: for some they mean something else altogether. */
const versioned: Readonly<Record<string, string>> = {
  ...Object.fromEntries("cmake ruby bash jq curl wget tar".split(" ").map((name) => [name, ""])),
  ...Object.fromEntries("node npm perl docker gcc g++ clang make tsc".split(" ").map((name) => [name, "-v"])),
  ...Object.fromEntries("python python3 pip pip3".split(" ").map((name) => [name, "-V"])),
  java: "-version",
};

/** Programs that only read, if they are called as listed here; everything else asks. */
export const readOnlyPrograms: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...Object.entries(versioned).map(([name, short]): [string, Reader] => [name, toVersion(short)]),
  ...Object.entries(listed).map(([name, spec]): [string, Reader] => [name, toReader(spec)]),
  ["echo", () => []],
  ["printf", ({ args }) => (args[0] === undefined || !mayBeOption(args[0]) ? [] : undefined)],
  ["test", (reading) => testReads(reading.args)],
  ["[", ({ args }) => (args.at(-1)?.text === "]" ? testReads(args.slice(0, -1)) : undefined)],
  ["command", ({ args }) => (/^-[vV]$/.test(args[0]?.text ?? "") ? [] : undefined)],
  ["npm", npmReads],
  ["find", (reading) => findReads(reading, readerOfAnyWords)],
  ["sed", sedReads],
  ["awk", awkReads],
  ["gawk", awkReads],
  ["mawk", awkReads],
  ["jq", jqReads],
]);

/** The version alone; with anything else most of these run code. */
function toVersion(short: string): Reader {
  return ({ args }) =>
    args.length === 1 && (args[0]!.text === "--version" || (short !== "" && args[0]!.text === short))
      ? []
      : undefined;
}

function npmReads(reading: Reading): readonly Field[] | undefined {
  const [verb, ...rest] = reading.args;
  if (verb === undefined || !/^(?:ls|list|ll|la)$/.test(verb.text)) return toVersion("-v")(reading);
  return npmList({ ...reading, args: rest });
}

const npmList = toReader({
  flags: "agl",
  long: "all long json parseable global depth= omit= include= prod dev link",
  operands: "text",
});

/** Options that look at files or texts; not `-v`, which evaluates an index. */
const unary = new Set("-b -c -d -e -f -g -h -k -L -n -p -r -s -S -t -u -w -x -z -O -G -N".split(" "));
const binary = new Set("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o !".split(" "));

function testReads(args: readonly Field[]): readonly Field[] | undefined {
  // Names of files can read as `-v` and an index, which is evaluated.
  if (args.some(couldBeOption)) return undefined;
  const options = args.filter(({ text }) => text.length > 1 && text.startsWith("-"));
  if (!options.every(({ text }) => unary.has(text) || binary.has(text) || /^-\d+$/.test(text)))
    return undefined;
  return args.filter(({ text }) => text.includes("/") || text.startsWith("."));
}
