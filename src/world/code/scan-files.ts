import { ToolValidationError } from "../../contract/errors.js";
import type { Files } from "../../contract/ports/files.js";
import { BudgetSpent, linearPattern, type Budget } from "../../schema/linear-pattern.js";
import { decodeText } from "../../text/decode-text.js";
import { looksBinary } from "../../text/is-binary.js";
import { throwIfAborted } from "../files/file-errors.js";
import { type SearchRoot, shownPath } from "./search-root.js";
import type { TextHit, TextHits, TextSearch } from "./ripgrep.js";

/** Larger files are not read one by one. */
const maxFileBytes = 2 * 1024 * 1024;

type ScanSearch = Omit<TextSearch, "program" | "directory" | "files">;

/** What ripgrep does, by listing and reading: slow, but needs nothing. */
export async function scanFiles(
  files: Files,
  root: SearchRoot,
  search: ScanSearch,
): Promise<TextHits & { readonly skipped: readonly string[] }> {
  const large: string[] = [];
  const found = await scan(files, root, { ...search, large });
  return { ...found, skipped: noteOnLarge(large) };
}

function noteOnLarge(large: readonly string[]): string[] {
  if (large.length === 0) return [];
  const more = large.length > 10 ? ` and ${large.length - 10} more` : "";
  return [`Not searched, because they are too large: ${large.slice(0, 10).join(", ")}${more}.`];
}

async function scan(
  files: Files,
  root: SearchRoot,
  search: ScanSearch & { readonly large: string[] },
): Promise<TextHits> {
  const until = performance.now() + search.timeoutMs;
  const find = createLineFinder(search);
  const hits: TextHit[] = [];
  for await (const file of filesIn(files, root)) {
    throwIfAborted(search.signal);
    if (performance.now() > until) return { hits, cut: "time" };
    if (!search.wants(file)) continue;
    let inFile = 0;
    const shown = shownPath(root, file);
    const found = await linesWith(files, shown, { find, large: search.large });
    if (found === undefined) return { hits, cut: "time" };
    for (const hit of found) {
      if (inFile++ >= search.perFile) break;
      if (hits.length >= search.maxHits) return { hits, cut: "count" };
      hits.push({ file, ...hit });
    }
  }
  return { hits, cut: undefined };
}

async function* filesIn(files: Files, root: SearchRoot): AsyncGenerator<string> {
  if (root.file !== undefined) {
    yield root.file;
    return;
  }
  const skip = root.shown === "" ? 0 : root.shown.length + 1;
  for await (const { entries } of files.walk(root.shown === "" ? "." : root.shown)) {
    for (const entry of entries) if (entry.type === "file") yield entry.path.slice(skip);
  }
}

/** The index of what was found in a line, or -1. */
type LineFinder = (line: string) => number;

function createLineFinder({ patterns, regex, ignoreCase, wholeWords }: ScanSearch): LineFinder {
  if (regex) return createPatternFinder(patterns[0] ?? "", ignoreCase);
  const wanted = patterns.map((pattern) => (ignoreCase ? pattern.toLowerCase() : pattern));
  return (line) => {
    const text = ignoreCase ? line.toLowerCase() : line;
    for (const each of wanted) {
      for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
        if (wholeWords !== true || standsAlone(text, at, at + each.length)) return at;
      }
    }
    return -1;
  };
}

/** The pattern is matched in linear time; the position in the line is not known. */
function createPatternFinder(source: string, ignoreCase: boolean): LineFinder {
  const budget: Budget = { left: 50_000_000 };
  try {
    const pattern = linearPattern(source, budget, ignoreCase);
    return (line) => (pattern.test(line) ? 0 : -1);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolValidationError(
      `The regular expression ${JSON.stringify(source.slice(0, 200))} cannot be used: ${reason}`,
      { code: "VALUE_INVALID", cause },
    );
  }
}

/** `undefined` where the pattern has used up its time. */
async function linesWith(
  files: Files,
  path: string,
  { find, large }: { readonly find: LineFinder; readonly large: string[] },
): Promise<Omit<TextHit, "file">[] | undefined> {
  try {
    const bytes = await files.read(path, { length: maxFileBytes + 1 });
    if (looksBinary(bytes.subarray(0, 8192))) return [];
    if (bytes.length > maxFileBytes) {
      large.push(path);
      return [];
    }
    const lines = decodeText(bytes).text.split("\n");
    return lines.flatMap((line, at) => {
      const found = find(line);
      return found === -1 ? [] : [{ line: at + 1, column: Buffer.byteLength(line.slice(0, found)) + 1 }];
    });
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    return []; // gone, or not to be read by this call
  }
}

function standsAlone(text: string, start: number, end: number): boolean {
  const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);
  return !isWord(text[start - 1]) && !isWord(text[end]);
}
