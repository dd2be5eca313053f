import { findJsonFault } from "./read-json.js";
import { defaultPlainLimits, takePlain, type PlainLimits } from "./take-plain.js";

/** The value of a JSON text, or what is wrong with it and where (line and column from 1, position from 0). */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly message: string;
      readonly line: number;
      readonly column: number;
      readonly position: number;
    };

/**
 * Parse a JSON text of unknown origin. Depth and size are scanned before `JSON.parse` sees it, because
 * a text nested 100,000 deep parses well and then breaks everything that walks it; what came out goes
 * through {@link takePlain}.
 */
export function parseJson(text: string, limits: PlainLimits = defaultPlainLimits): ParsedJson {
  if (typeof text !== "string") return refuse("", 0, "Expected a text with JSON in it");
  const excess = findExcess(text, limits);
  if (excess !== undefined) return refuse(text, excess.position, excess.message);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The engine's own message changes between versions and often names no place.
    const fault = findJsonFault(text);
    return refuse(text, fault?.position ?? 0, fault?.message ?? (error as Error).message);
  }
  const taken = takePlain(value, limits);
  if (taken.ok) return taken;
  const forbidden = text.search(/"(__proto__|constructor)"\s*:/);
  return refuse(text, Math.max(0, forbidden), taken.issues[0]?.message ?? "Not plain data");
}

interface Excess {
  readonly position: number;
  readonly message: string;
}

/** The first place where the text exceeds a limit: brackets outside strings are depth, commas are values. */
function findExcess(text: string, limits: PlainLimits): Excess | undefined {
  // Escapes may double a text and honest layout adds some more.
  const maxLength = limits.chars * 2;
  if (text.length > maxLength) {
    return { position: maxLength, message: `The JSON text is longer than ${maxLength} characters` };
  }
  let depth = 0;
  let values = 1;
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === quote) {
      position = closingQuote(text, position);
      continue;
    }
    if (code === closeBracket || code === closeBrace) depth--;
    if (code !== openBracket && code !== openBrace && code !== comma) continue;
    values++;
    if (code !== comma && ++depth > limits.depth) {
      return { position, message: `The JSON is nested deeper than ${limits.depth} levels` };
    }
    // Each comma and each opening bracket brings at most one value more, so an honest text just
    // within the limit is never refused here; takePlain counts exactly.
    if (values > limits.values * 2) {
      return { position, message: `The JSON contains more than ${limits.values} values` };
    }
  }
  return undefined;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const backslash = 0x5c;

function closingQuote(text: string, opening: number): number {
  let end = text.indexOf('"', opening + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function refuse(text: string, position: number, message: string): ParsedJson {
  const before = text.slice(0, position).split(/\r\n|\r|\n/);
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return {
    ok: false,
    message: `${message.replace(/\.$/, "")} (line ${line}, column ${column})`,
    line,
    column,
    position,
  };
}
