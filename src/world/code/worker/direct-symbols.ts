import { LRUCache } from "lru-cache";
import type { Syntax } from "../../../syntax/create-syntax.js";
import type { SourceSymbol } from "../../../syntax/source-symbol.js";
import type { Guard } from "../../files/guard-types.js";
import type { Findings, FoundSymbol, NameFit, NameWish } from "./messages.js";
import { parseFile } from "./parser.js";

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

/** Files are parsed when they are asked for; what was parsed lately is kept for as long as the file stays the same. */
export function createDirectSymbols(guard: Guard, syntax: Syntax): DirectSymbols {
  const into = { bytes: Buffer.alloc(0) };
  const known = new LRUCache<string, Known>({ max: 500 });
  const symbolsOf = async (file: string): Promise<Known | undefined> => {
    const before = known.get(file);
    if (before !== undefined && !before.racy && identityNow(guard, file) === before.identity) return before;
    const readAt = Date.now();
    const look = await parseFile({ guard, syntax, into }, file);
    if (look === undefined) return undefined;
    const { identity, size, changed } = look.stat;
    const fresh = { identity, racy: changed + racyMs > readAt, size, changed, symbols: look.symbols ?? [] };
    known.set(file, fresh);
    return fresh;
  };
  return async (files, wish, until) => {
    const symbols: FoundSymbol[] = [];
    const fitOf = createFitOf(wish);
    const kinds = wish.kinds === undefined ? undefined : new Set(wish.kinds);
    let unread = 0;
    for (const [at, file] of files.entries()) {
      if (at > 0 && performance.now() > until) {
        unread = files.length - at;
        break;
      }
      const found = await symbolsOf(file);
      for (const { name, kind, line, column, container } of found?.symbols ?? []) {
        const fit = kinds?.has(kind) === false ? undefined : fitOf(name);
        if (fit === undefined || found === undefined) continue;
        const { size, changed } = found;
        symbols.push({ file, name, kind, line, column, container, fit, size, changed });
      }
    }
    return { symbols, unread, more: false, covered: true };
  };
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
