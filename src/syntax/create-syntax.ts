import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Node, Parser, Query } from "web-tree-sitter";
import { findSymbols } from "./find-symbols.js";
import type { LanguageSyntax } from "./languages/language.js";
import { languages } from "./languages/index.js";
import type { OutlinedSymbol, SourceSymbol } from "./source-symbol.js";
import { createTimeLimit, type Clocks } from "./time-limit.js";

export interface SymbolOptions {
  /** Give up parsing after this much processor time, where it is known. @default 2000 */
  readonly timeoutMs?: number;
}

/** Finds definitions in source text by its syntax tree. */
export interface Syntax {
  /** Whether there is a grammar for the language. */
  supports(language: string): boolean;
  /** Load the grammar, so that `symbols` can answer; `false` where there is none. */
  load(language: string): Promise<boolean>;
  /** The definitions in their order; `undefined` where the grammar is not loaded or the text too hard to parse. */
  symbols(text: string, language: string, options?: SymbolOptions): SourceSymbol[] | undefined;
  /** The same with what an outline shows of each. */
  outline(text: string, language: string, options?: SymbolOptions): OutlinedSymbol[] | undefined;
  /** Bytes that trees have taken at the most: WebAssembly gives nothing back. */
  memory(): number;
  /** The grammars that are loaded. They stay, each with some megabytes of compiled code, as long as this does. */
  loaded(): { readonly grammars: number; readonly bytes: number };
}

/** Longer texts are data rather than code, and one was seen to take seconds to parse. */
const maxSourceLength = 4_000_000;

interface Grammar {
  readonly parser: Parser;
  readonly query: Query;
  /** Of its file. */
  readonly bytes: number;
}

/** Nothing is loaded before it is asked for: grammars are megabytes of WebAssembly. */
export function createSyntax(cpuMs: Clocks["cpuMs"] = () => undefined): Syntax {
  const loading = new Map<string, Promise<Grammar>>();
  const ready = new Map<string, Grammar>();
  let memory: WasmMemory | undefined;
  const parse = <T>(
    { text, language, timeoutMs = 2000 }: { text: string; language: string } & SymbolOptions,
    use: (root: Node, query: Query) => T,
  ): T | undefined => {
    const syntax = languages.get(language.toLowerCase());
    const grammar = syntax && ready.get(syntax.grammar);
    if (grammar === undefined || text.length > maxSourceLength) return undefined;
    const isOver = createTimeLimit(timeoutMs, { wallMs: () => performance.now(), cpuMs });
    return parseUntil(grammar.parser, text, isOver, (root) => use(root, grammar.query));
  };
  return {
    supports: (language) => languages.has(language.toLowerCase()),
    async load(language) {
      const syntax = languages.get(language.toLowerCase());
      if (syntax === undefined) return false;
      const grammar = loading.get(syntax.grammar) ?? loadGrammar(syntax, (memory ??= createMemory()));
      loading.set(syntax.grammar, grammar);
      ready.set(syntax.grammar, await grammar);
      return true;
    },
    symbols: (text, language, options) =>
      parse({ text, language, ...options }, (root, query) => findSymbols(root, query)),
    outline: (text, language, options) =>
      parse({ text, language, ...options }, (root, query) => findSymbols(root, query, text)),
    memory: () => memory?.buffer.byteLength ?? 0,
    loaded: () => ({
      grammars: ready.size,
      bytes: [...ready.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    }),
  };
}

/** The part of WebAssembly that is used; the types of Node do not include it. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

/** As the parsers would make it themselves, in pages of 64 kB. */
function createMemory(): WasmMemory {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => WasmMemory };
  };
  return new WebAssembly.Memory({ initial: 512, maximum: 32_768 });
}

async function loadGrammar({ grammar, query }: LanguageSyntax, wasmMemory: WasmMemory): Promise<Grammar> {
  const treeSitter = await import("web-tree-sitter");
  await treeSitter.Parser.init({ wasmMemory });
  const file = createRequire(import.meta.url).resolve(
    `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`,
  );
  const program = await readFile(file);
  const language = await treeSitter.Language.load(program);
  const parser = new treeSitter.Parser();
  parser.setLanguage(language);
  return { parser, query: new treeSitter.Query(language, query), bytes: program.length };
}

/** A tree lives in WebAssembly's memory and must be given back. */
function parseUntil<T>(
  parser: Parser,
  text: string,
  isOver: () => boolean,
  use: (root: Node) => T,
): T | undefined {
  const tree = parser.parse(text, null, { progressCallback: isOver });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}
