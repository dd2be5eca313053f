import { ToolDefinitionError } from "../contract/errors.js";
import { once } from "../contract/once.js";

// Invisible code points (joiners, fillers, variation selectors) are letters or marks to Unicode.
const legalName = once(() => /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Nd}_.:/-]){1,128}$/u);
const somethingToRead = once(() => /[\p{L}\p{Nd}]/u);

/** Refuse a name or alias that is empty, malformed or reserved. */
export function checkName(name: unknown, what: "name" | "alias", owner: string): asserts name is string {
  if (name === undefined || name === null || (typeof name === "string" && name.trim() === "")) {
    const whose = what === "name" ? "A tool" : `Tool "${owner}"`;
    throw new ToolDefinitionError(`${whose} has an empty ${what}.`, {
      code: what === "name" ? "NAME_EMPTY" : "NAME_INVALID",
      hint: "Use 1 to 128 letters, digits, _ . : / or -.",
    });
  }
  const fault = faultOf(name);
  if (fault === undefined) return;
  throw new ToolDefinitionError(`The ${what} ${showName(name)} of a tool ${fault}.`, {
    code: "NAME_INVALID",
    toolName: shorten(owner),
    hint: "Use 1 to 128 letters, digits, _ . : / or -.",
  });
}

/** Nearly every name: legal, and not reserved. The expressions above take half a millisecond to make. */
const simpleName = /^[a-z][a-z0-9_]{0,99}$/;

function faultOf(name: unknown): string | undefined {
  if (typeof name !== "string") return "is not a string";
  if (simpleName.test(name)) return undefined;
  // One character can expand to several with spaces, so the normalized form is checked too.
  if (!legalName().test(name) || !legalName().test(name.normalize("NFKC"))) {
    return "is longer than 128 characters or contains one that is not allowed";
  }
  if (!somethingToRead().test(name)) return "contains no letter or digit";
  if (foldName(name) === "__proto__") return "is reserved";
  return undefined;
}

/** Names that fold to the same text look the same to a model or a person. Independent of the locale. */
export function foldName(name: string): string {
  // Upper case first: it unites what has several lower-case forms (ß and ss, σ and ς).
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

/** `name@range` in its two parts; names hold no `@`. */
export function splitSpec(spec: string): { readonly name: string; readonly range: string | undefined } {
  const at = spec.indexOf("@");
  if (at < 0) return { name: spec, range: undefined };
  return { name: spec.slice(0, at), range: spec.slice(at + 1).trim() };
}

/** A name as it came from outside, bounded for messages. */
export function shorten(name: string): string {
  const limit = 160;
  // The cut must not leave half of a surrogate pair.
  return name.length <= limit ? name : `${name.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** A name in a message, or the type of what is not a name. */
export function showName(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(shorten(value)) : `(${typeof value})`;
}
