import type * as Yaml from "yaml";
import type { Alias, Document, Node, Pair } from "yaml";
import { loadYaml } from "../text/libraries.js";
import { isForbiddenKey, pathKey, sourceLimits, type ParsedText, type ParseFault } from "./source.js";

/** Parse one YAML document into plain data and remember where everything stands. */
export function parseYaml(text: string): ParsedText {
  const yaml = loadYaml();
  const tooMuch = findExcess(text, new yaml.Lexer());
  if (tooMuch !== undefined) return { value: undefined, faults: [tooMuch], offsets: new Map() };
  // Its own check for duplicate keys is quadratic; the walk below has a linear one.
  const options = { prettyErrors: false, uniqueKeys: false, logLevel: "error" } as const;
  const document = yaml.parseDocument(text, options);
  const walk: Walk = { yaml, targets: findTargets(yaml, document), offsets: new Map(), faults: [], nodes: 0 };
  for (const { pos, message } of [...document.errors, ...document.warnings].slice(0, 20)) {
    walk.faults.push({ offset: pos[0], path: [], message: `invalid YAML: ${toFault(message)}` });
  }
  if (walk.faults.length > 0) return { value: undefined, faults: walk.faults, offsets: walk.offsets };
  if (document.contents === null) return { value: {}, faults: [], offsets: walk.offsets };
  return { value: toValue(walk, document.contents, []), faults: walk.faults, offsets: walk.offsets };
}

/** In the words of a file, not of the library that reads it. */
function toFault(message: string): string {
  if (message.includes("multiple documents")) return "a second document begins here; only one is allowed";
  return lowerFirst(message);
}

interface Walk {
  readonly yaml: typeof Yaml;
  readonly targets: ReadonlyMap<Alias, Node>;
  readonly offsets: Map<string, { key?: number; value: number }>;
  readonly faults: ParseFault[];
  nodes: number;
}

/** Check nesting and size on the tokens: the parser recurses and would overflow on a hostile file. */
function findExcess(text: string, lexer: Yaml.Lexer): ParseFault | undefined {
  const nesting: Nesting = { open: [0], total: 0, scalar: false, lineStart: true };
  let offset = 0;
  let tokens = 0;
  for (const token of lexer.lex(text)) {
    tokens += 1;
    if (countNesting(nesting, token))
      return excess(offset, `nested deeper than ${sourceLimits.depth} levels`);
    if (tokens > sourceLimits.tokens) return excess(offset, "too many parts");
    // Marks that the lexer inserts (start of document, flow end, scalar) are not in the text.
    if (!isMark(token)) offset += token.length;
  }
  return undefined;
}

function excess(offset: number, message: string): ParseFault {
  return { offset, path: [], message: `not a usable configuration: ${message}` };
}

interface Nesting {
  /** For the block and each open bracket: how many `-`, `?` and `:` nest in each other there. */
  readonly open: number[];
  total: number;
  scalar: boolean;
  lineStart: boolean;
}

/** Take one token into account; whether it lies too deep. A map in a map counts twice: bracket and colon. */
function countNesting(state: Nesting, token: string): boolean {
  const { scalar, lineStart, open } = state;
  state.scalar = token === "\u001F";
  state.lineStart = !scalar && (token === "\n" || token === "\r\n");
  if (scalar) return false;
  const inFlow = open.length > 1;
  if (token === "[" || token === "{") open.push(0);
  else if ((token === "]" || token === "}") && inFlow) state.total -= open.pop() ?? 0;
  else if (token === "-" || token === "?" || token === ":") add(state, 1);
  else if (inFlow ? token === "," : state.lineStart) add(state, -(open.at(-1) ?? 0));
  // A block needs at least one more column for each level; four are usual.
  else if (lineStart && /^ +$/.test(token)) return token.length > 4 * sourceLimits.depth;
  return open.length + state.total > 2 * sourceLimits.depth + 1 || open.length > sourceLimits.depth + 1;
}

function add(state: Nesting, levels: number): void {
  state.open.push((state.open.pop() ?? 0) + levels);
  state.total += levels;
}

function isMark(token: string): boolean {
  return token === "\u0002" || token === "\u0018" || token === "\u001F";
}

/** What each alias stands for, in one pass: asking each alias would search the document every time. */
function findTargets(yaml: typeof Yaml, document: Document.Parsed): Map<Alias, Node> {
  const targets = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  yaml.visit(document, {
    Node(_key, node) {
      if (yaml.isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return targets;
}

function toValue(walk: Walk, node: Node | null, path: readonly PropertyKey[], keyAt?: number): unknown {
  const offset = node?.range?.[0] ?? keyAt ?? 0;
  const known = walk.offsets.get(pathKey(path));
  if (known === undefined) {
    walk.offsets.set(pathKey(path), keyAt === undefined ? { value: offset } : { key: keyAt, value: offset });
  }
  walk.nodes += 1;
  if (walk.nodes > sourceLimits.nodes || path.length > sourceLimits.depth) {
    return refuse(walk, offset, path.slice(0, 3), "it grows too large or too deep, perhaps by its aliases");
  }
  if (node === null) return null;
  const { isAlias, isMap, isSeq, isScalar } = walk.yaml;
  if (isAlias(node)) {
    const target = walk.targets.get(node);
    if (target === undefined)
      return refuse(walk, offset, path, "invalid YAML: the alias has no anchor before it");
    return toValue(walk, target, path, keyAt ?? offset);
  }
  if (isMap(node)) return toObject(walk, node.items as Pair<Node, Node | null>[], path);
  if (isSeq(node)) return toList(walk, node.items as (Node | null)[], path);
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  return refuse(walk, offset, path, "expected text, a number, true or false, a list or a map");
}

function toList(walk: Walk, items: readonly (Node | null)[], path: readonly PropertyKey[]): unknown[] {
  const out: unknown[] = [];
  for (const item of items) {
    if (walk.nodes > sourceLimits.nodes) break;
    out.push(toValue(walk, item, [...path, out.length]));
  }
  return out;
}

function toObject(
  walk: Walk,
  items: readonly Pair<Node, Node | null>[],
  path: readonly PropertyKey[],
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { key: node, value } of items) {
    if (walk.nodes > sourceLimits.nodes) break;
    const keyAt = node.range?.[0] ?? 0;
    const key = keyOf(walk, node);
    if (key === undefined) refuse(walk, keyAt, path, "a key must be text");
    else if (isForbiddenKey(key)) refuse(walk, keyAt, [...path, key], "this key is not allowed");
    else if (Object.hasOwn(out, key)) refuse(walk, keyAt, [...path, key], "duplicate key");
    else out[key] = toValue(walk, value, [...path, key], keyAt);
  }
  return out;
}

function keyOf({ yaml }: Walk, node: Node): string | undefined {
  if (!yaml.isScalar(node)) return undefined;
  return ["string", "number", "boolean"].includes(typeof node.value) ? String(node.value) : undefined;
}

function refuse(walk: Walk, offset: number, path: readonly PropertyKey[], message: string): undefined {
  if (walk.faults.length < 20) walk.faults.push({ offset, path, message });
  return undefined;
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
