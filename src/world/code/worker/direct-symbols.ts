import { LRUCache } from "lru-cache";
import type { Syntax } from "../../../syntax/create-syntax.js";
import type { SourceSymbol } from "../../../syntax/source-symbol.js";
import type { Guard } from "../../files/guard-types.js";
import { createMayDefine, type Likelihood } from "./may-define.js";
import type { Findings, FoundSymbol, NameFit, NameWish } from "./messages.js";
import { parseFile, type ParseTools, tryRead } from "./parser.js";

/** Finds definitions in given files, whether the index knows them or not. */
export type DirectSymbols = (files: readonly string[], wish: NameWish, until: number) => Promise<Findings>;

interface Known {
  readonly identity: string;
  /** It changed just before it was read, and may have changed since without a trace. */
  readonly racy: boolean;
  readonly size: number;
  readonly changed: number;
  readonly symbols: readonly SourceSymbol[];
}

const racyMs = 2000;
/** Where something is found already, the less likely files get this long. */
const patienceMs = 300;

/** Files are parsed when they are asked for; what was parsed lately is kept for as long as the file stays the same. */
export function createDirectSymbols(guard: Guard, syntax: Syntax): DirectSymbols {
  const tools: ParseTools = { guard, syntax, into: { bytes: Buffer.alloc(0) } };
  const known = new LRUCache<string, Known>({ max: 500 });
  const symbolsOf = async (file: string): Promise<Known | undefined> => {
    const before = known.get(file);
    if (before !== undefined && !before.racy && identityNow(guard, file) === before.identity) return before;
    const readAt = Date.now();
    const look = await parseFile(tools, file);
    if (look === undefined) return undefined;
    const { identity, size, changed } = look.stat;
    const fresh = { identity, racy: changed + racyMs > readAt, size, changed, symbols: look.symbols ?? [] };
    known.set(file, fresh);
    return fresh;
  };
  return async (files, wish, until) => {
    const symbols: FoundSymbol[] = [];
    const fitOf = createFitOf(wish);
    const { likely, possible, unseen } = sortOut(tools, files, { wish, until });
    let unread = unseen;
    for (const group of [likely, possible]) {
      const patience = symbols.length > 0 ? performance.now() + patienceMs : until;
      for (const [at, file] of group.entries()) {
        if (at > 0 && performance.now() > Math.min(until, patience)) {
          unread += group.length - at;
          break;
        }
        const found = await symbolsOf(file);
        if (found !== undefined) symbols.push(...fitting(file, found, { wish, fitOf }));
      }
    }
    return { symbols, unread, more: false, covered: true };
  };
}

interface SortedOut {
  readonly likely: string[];
  readonly possible: string[];
  /** Files that there was no time to look at. */
  readonly unseen: number;
}

/** Which files are worth a parse: a quick look costs a hundredth of it. */
function sortOut(
  { guard, into }: ParseTools,
  files: readonly string[],
  { wish, until }: { wish: NameWish; until: number },
): SortedOut {
  const sorted: Record<Likelihood, string[]> = { likely: [], possible: [], no: [] };
  if (wish.name === "") return { likely: [...files], possible: [], unseen: 0 };
  const mayDefine = createMayDefine(wish.name);
  // Half of the time is for the parsing.
  const half = performance.now() + (until - performance.now()) / 2;
  for (const [at, file] of files.entries()) {
    if (performance.now() > half) return { ...sorted, unseen: files.length - at };
    const source = tryRead(guard, file, into);
    if (source?.language !== undefined) sorted[mayDefine(source.bytes, source.language)].push(file);
  }
  return { ...sorted, unseen: 0 };
}

function fitting(
  file: string,
  { symbols, size, changed }: Known,
  { wish, fitOf }: { wish: NameWish; fitOf: (name: string) => NameFit | undefined },
): FoundSymbol[] {
  return symbols.flatMap(({ name, kind, line, column, container }) => {
    const fit = wish.kinds?.includes(kind) === false ? undefined : fitOf(name);
    return fit === undefined ? [] : [{ file, name, kind, line, column, container, fit, size, changed }];
  });
}

function identityNow(guard: Guard, file: string): string | undefined {
  try {
    return guard.stat(file)?.identity;
  } catch {
    return undefined;
  }
}

function createFitOf({ name, caseSensitive }: NameWish): (other: string) => NameFit | undefined {
  const lower = name.toLowerCase();
  return (other) => {
    if (other === name || name === "") return "exact";
    if (other.length < name.length) return undefined;
    if (caseSensitive) return other.startsWith(name) ? "prefix" : undefined;
    if (!other.toLowerCase().startsWith(lower)) return undefined;
    return other.length === name.length ? "case" : "prefix";
  };
}
