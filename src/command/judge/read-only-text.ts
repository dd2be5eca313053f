import type { ReadArguments } from "../read-options.js";
import type { Field } from "../words/field.js";
import type { ReaderSpec } from "./read-only-programs.js";

/** All operands but the pattern, which is the first unless an option brought one. */
function afterPattern(...given: readonly string[]) {
  return ({ options, operands }: ReadArguments): readonly Field[] =>
    given.some((name) => options.has(name)) ? operands : operands.slice(1);
}

/** A second operand would be written. */
function atMostOne({ operands }: ReadArguments): readonly Field[] | undefined {
  return operands.length <= 1 ? operands : undefined;
}

const grep: ReaderSpec = {
  flags: "EFGPivwxcLlqshHnobTZUzaIrRyu",
  values: "efmABCdD",
  long: "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count color=? colour=? files-without-match files-with-matches max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= before-context= context= text binary-files= devices= directories= exclude= exclude-from= exclude-dir= include= recursive dereference-recursive line-buffered null-data regexp= file=",
  number: true,
  files: ["f", "file", "exclude-from"],
  operands: afterPattern("e", "f", "regexp", "file"),
  anyWords: true,
};

/** Without options for a pager; the output goes into a pipe, where bat starts none. */
const bat: ReaderSpec = {
  flags: "pnAuPfS",
  values: "lrHm",
  long: "plain number show-all unbuffered force-colorization language= line-range= highlight-line= map-syntax= style= color= paging= theme= tabs= wrap= terminal-width= decorations= squeeze-blank no-config file-name=",
};

/** Without `--pager`. */
const ag: ReaderSpec = {
  flags: "ilLcsSwvQ0HnazufFtUrRo",
  values: "ABCGmgp",
  long: "ignore-case files-with-matches files-without-matches count case-sensitive smart-case word-regexp invert-match literal null heading noheading numbers nonumbers column color nocolor group nogroup hidden all-text all-types unrestricted follow skip-vcs-ignores only-matching after=? before=? context=? file-search-regex= ignore= ignore-dir= depth= max-count= path-to-ignore= filename nofilename stats vimgrep silent print-long-lines nomultiline multiline",
  files: ["p", "path-to-ignore"],
  operands: (read) =>
    lineCounts.every((name) => hasNumbers(read, name)) ? afterPattern("g")(read) : undefined,
};

/** After one of these, a word that is not a number is the pattern, and the next word a path. */
const lineCounts = ["A", "B", "C", "after", "before", "context"];

function hasNumbers({ options }: ReadArguments, name: string): boolean {
  return (options.get(name) ?? []).every(({ text }) => text === "" || /^\d+$/.test(text));
}

const sum: ReaderSpec = { flags: "btz", long: "binary text tag zero", anyWords: true };

/** Programs that print text from files or from their input. */
export const textPrograms: Readonly<Record<string, ReaderSpec>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    flags: "FivwxclLnNoqsSUupPHI0.ah",
    values: "ABCeEfgjmMrtTd",
    long: "after-context= before-context= context= regexp= file= glob= iglob= max-count= max-columns= replace= type= type-not= type-add= max-depth= maxdepth= threads= encoding= ignore-file= sort= sortr= color= colors= case-sensitive ignore-case smart-case fixed-strings word-regexp line-regexp invert-match count count-matches files files-with-matches files-without-match with-filename no-filename line-number no-line-number column no-column heading no-heading json hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent no-messages null only-matching passthru pcre2 pretty quiet stats text trim multiline multiline-dotall unrestricted vimgrep type-list follow crlf no-config max-filesize= block-buffered line-buffered one-file-system path-separator= byte-offset max-columns-preview glob-case-insensitive no-require-git context-separator=",
    files: ["f", "file", "ignore-file"],
    operands: afterPattern("e", "f", "regexp", "file", "files", "type-list"),
  },
  ag,
  bat,
  batcat: bat,
  cat: {
    flags: "AbeEnstTuv",
    long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    anyWords: true,
  },
  head: {
    flags: "qvz",
    values: "nc",
    long: "bytes= lines= quiet silent verbose zero-terminated",
    number: true,
    anyWords: true,
  },
  tail: {
    flags: "qvz",
    values: "nc",
    long: "bytes= lines= quiet silent verbose zero-terminated",
    number: true,
    anyWords: true,
  },
  wc: { flags: "clmLw", long: "bytes chars lines max-line-length words total=", anyWords: true },
  sort: {
    flags: "bcCdfghiMmnrRsuVz",
    values: "ktS",
    long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse sort= version-sort check=? key= merge stable field-separator= unique zero-terminated parallel=",
  },
  uniq: {
    flags: "cdDiuz",
    values: "fsw",
    long: "count repeated all-repeated=? ignore-case unique skip-fields= skip-chars= check-chars= zero-terminated group=?",
    operands: atMostOne,
    stop: true,
  },
  cut: {
    flags: "nsz",
    values: "bcdf",
    long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated",
    anyWords: true,
  },
  tr: { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "text" },
  diff: {
    flags: "abBcdeEinNpqrstTuwyZ",
    values: "CFIUWx",
    long: "brief unified=? context=? recursive new-file ignore-case ignore-all-space ignore-space-change ignore-trailing-space ignore-blank-lines ignore-tab-expansion side-by-side width= exclude= exclude-from= color=? minimal text report-identical-files label= suppress-common-lines no-dereference strip-trailing-cr show-c-function",
    files: ["exclude-from"],
    number: true,
  },
  cmp: { flags: "bls", values: "in", long: "print-bytes verbose silent quiet bytes= ignore-initial=" },
  comm: { flags: "123z", long: "check-order nocheck-order output-delimiter= total zero-terminated" },
  nl: {
    flags: "p",
    values: "bdfhilnsvw",
    long: "body-numbering= number-format= number-width= starting-line-number= number-separator=",
    anyWords: true,
  },
  tac: { flags: "br", values: "s", long: "before regex separator=", anyWords: true },
  rev: { anyWords: true },
  fold: { flags: "bs", values: "w", long: "bytes spaces width=", number: true, anyWords: true },
  fmt: {
    flags: "cstu",
    values: "wpg",
    long: "width= uniform-spacing split-only",
    number: true,
    anyWords: true,
  },
  expand: { flags: "i", values: "t", long: "initial tabs=", anyWords: true },
  unexpand: { flags: "a", values: "t", long: "all first-only tabs=", anyWords: true },
  paste: { flags: "sz", values: "d", long: "delimiters= serial zero-terminated", anyWords: true },
  column: {
    flags: "tnexJ",
    values: "csoNRHTl",
    long: "table separator= output-separator= table-columns= json",
  },
  od: {
    flags: "bcdfiloxsv",
    values: "AjNtS",
    attached: "w",
    long: "address-radix= skip-bytes= read-bytes= format= output-duplicates width=?",
    anyWords: true,
  },
  // The operand after a file is not an option any more, but a file to write.
  xxd: { flags: "abeipuE", values: "cgolsn", operands: atMostOne, stop: true },
  hexdump: { flags: "bcCdovx", values: "ens", long: "canonical length= skip=" },
  strings: {
    flags: "afotw",
    values: "nte",
    long: "all bytes= radix= print-file-name encoding=",
    // `@file` is replaced by the words in that file.
    operands: ({ operands }) => (operands.some(({ text }) => text.startsWith("@")) ? undefined : operands),
  },
  base64: { flags: "di", values: "w", long: "decode ignore-garbage wrap=", anyWords: true },
  zcat: { flags: "fqv" },
  md5sum: sum,
  sha1sum: sum,
  sha256sum: sum,
  sha512sum: sum,
  cksum: { anyWords: true },
};
