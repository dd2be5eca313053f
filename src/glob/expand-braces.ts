import { PatternError } from "./wildcard.js";

const maxAlternatives = 256;

/**
 * Write out `{a,b}`. Refuses instead of guessing: a pattern that stands for too many, or a range
 * such as `{1..9}`, taken literally, would make a deny rule that denies nothing.
 */
export function expandBraces(pattern: string): string[] {
  if (!pattern.includes("{")) return [pattern];
  const open = [pattern];
  const done: string[] = [];
  while (open.length > 0) {
    const text = open.pop()!;
    const group = firstGroup(text);
    if (group === undefined) {
      done.push(text);
    } else {
      const alternatives = group.parts.map(
        (part) => text.slice(0, group.start) + part + text.slice(group.end),
      );
      open.push(...alternatives.toReversed());
    }
    if (open.length + done.length > maxAlternatives) {
      throw new PatternError(`the braces stand for more than ${maxAlternatives} alternatives`);
    }
  }
  return done;
}

interface Group {
  readonly start: number;
  /** Behind the closing brace. */
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first outermost group with a comma; braces without one stand for themselves. */
function firstGroup(text: string): Group | undefined {
  const ends = closingBraces(text);
  for (const [start, end] of ends) {
    const parts = splitAtCommas(text.slice(start + 1, end));
    if (parts.length > 1) return { start, end: end + 1, parts };
    if (/^[^{}]+\.\.[^{}]+$/.test(parts[0] ?? "")) {
      throw new PatternError(`the range "${text.slice(start, end + 1)}" is not supported: list the values`);
    }
  }
  return undefined;
}

/** Where each `{` that is ever closed ends, in order of opening. */
function closingBraces(text: string): [number, number][] {
  const pending: number[] = [];
  const pairs: [number, number][] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") pending.push(at);
    else if (text[at] === "}") {
      const start = pending.pop();
      if (start !== undefined) pairs.push([start, at]);
    }
  }
  return pairs.sort(([one], [other]) => one - other);
}

function splitAtCommas(body: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < body.length; at++) {
    if (body[at] === "\\") at++;
    else if (body[at] === "{") depth++;
    else if (body[at] === "}") depth--;
    else if (body[at] === "," && depth === 0) {
      parts.push(body.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, body.slice(start)];
}
