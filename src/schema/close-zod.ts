import type * as z from "zod";
import { once } from "../contract/once.js";

/** What every Zod schema, of any copy of Zod 4, shows of itself. */
export interface ZodNode {
  readonly _zod: {
    readonly def: ZodDef;
    readonly constr: new (def: ZodDef) => ZodNode;
    readonly version?: { readonly major: number; readonly minor: number };
  };
  strict?(): ZodNode;
  safeParse(value: unknown): z.ZodSafeParseResult<unknown>;
}

/** The definition that a schema was made from. */
export interface ZodDef {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * The same schema with every plain `z.object` made strict. A plain one drops unknown keys without a
 * word, so a misspelt optional argument would be lost; `looseObject`, `catchall` and `record` say
 * that they are open and stay so. Rebuilding, rather than looking for strange keys afterwards, keeps
 * unions right: a branch that would have dropped a key no longer wins over the one that knows it.
 */
export function closeZod(schema: ZodNode): ZodNode {
  return rebuild(schema, false) ?? rebuild(schema, true) ?? schema;
}

/** `deferred` reads the shapes at the first parse, so that an object may contain itself; Zod is then 3 times slower. */
function rebuild(schema: ZodNode, deferred: boolean): ZodNode | undefined {
  const done = new Map<ZodNode, ZodNode | "open">();
  let cyclic = false;
  const close = (node: ZodNode): ZodNode => {
    const known = done.get(node);
    cyclic ||= known === "open";
    if (known !== undefined) return known === "open" ? node : known;
    done.set(node, "open");
    const { def, constr: Schema } = node._zod;
    // What a lazy schema leads to is not known yet; mostly back to where it stands.
    cyclic ||= def.type === "lazy";
    const changed = def.type === "object" ? closeObject(node, { close, deferred }) : closeParts(node, close);
    const closed = changed === undefined ? node : new Schema(changed);
    done.set(node, closed);
    return closed;
  };
  const closed = close(schema);
  return cyclic && !deferred ? undefined : closed;
}

type Close = (node: ZodNode) => ZodNode;

function closeObject(node: ZodNode, { close, deferred }: { close: Close; deferred: boolean }): ZodDef {
  const { def } = node._zod;
  const copy: Record<string, unknown> & { type: string } = { type: "object" };
  // Not a spread: the shape of an object that contains itself must not be read yet.
  for (const name of Object.keys(def)) if (name !== "shape") copy[name] = def[name];
  const catchall = def["catchall"] as ZodNode | undefined;
  copy["catchall"] = catchall === undefined ? neverOf(node) : close(catchall);
  const shape = once(() => mapValues(def["shape"] as Record<string, ZodNode>, close));
  const reading = deferred ? { get: shape } : { value: shape(), writable: true };
  return Object.defineProperty(copy, "shape", { ...reading, enumerable: true, configurable: true });
}

function mapValues(fields: Readonly<Record<string, ZodNode>>, close: Close): Record<string, ZodNode> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, close(field)]));
}

/** The `never` of the schema's own copy of Zod; the small builds have no method that gives one. */
function neverOf(node: ZodNode): unknown {
  return node.strict?.()._zod.def["catchall"] ?? { _zod: { def: { type: "never" } } };
}

const single: Readonly<Record<string, readonly string[]>> = {
  array: ["element"],
  record: ["valueType"],
  map: ["valueType"],
  set: ["valueType"],
  intersection: ["left", "right"],
  optional: ["innerType"],
  nullable: ["innerType"],
  default: ["innerType"],
  prefault: ["innerType"],
  nonoptional: ["innerType"],
  catch: ["innerType"],
  readonly: ["innerType"],
  success: ["innerType"],
  tuple: ["rest"],
};

const lists: Readonly<Record<string, string>> = { tuple: "items", union: "options" };

/** The definition with all schemas inside it closed; `undefined` where there was nothing to close. */
function closeParts(node: ZodNode, close: Close): ZodDef | undefined {
  const { def, version } = node._zod;
  // Older copies let strict operands of an intersection refuse each other's keys.
  if (def.type === "intersection" && (version?.minor ?? 0) < 6) return undefined;
  if (def.type === "lazy") {
    const getter = def["getter"] as () => ZodNode;
    return { ...def, getter: () => close(getter()), _cachedInner: undefined };
  }
  const changed: Record<string, unknown> = {};
  const names = def.type === "pipe" ? [argumentSide(def)] : (single[def.type] ?? []);
  for (const name of names) {
    const part = def[name] as ZodNode | null | undefined;
    if (part && close(part) !== part) changed[name] = close(part);
  }
  const list = lists[def.type];
  const parts = list === undefined ? [] : (def[list] as ZodNode[]);
  if (list !== undefined && parts.some((part) => close(part) !== part)) changed[list] = parts.map(close);
  return Object.keys(changed).length === 0 ? undefined : { ...def, ...changed };
}

/** The side of a pipe that sees what the caller wrote: after a bare function (`z.preprocess`) the far one. */
export function argumentSide(def: ZodDef): "in" | "out" {
  return (def["in"] as ZodNode)._zod.def.type === "transform" ? "out" : "in";
}
