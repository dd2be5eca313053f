/** A compiled pattern for one name: no separator has a meaning in it. */
export interface Wildcard {
  readonly test: (text: string) => boolean;
  /** The text itself, where the pattern holds no wildcard. */
  readonly literal: string | undefined;
}

/** A pattern that cannot be used; the message says why. */
export class PatternError extends Error {
  override get name(): string {
    return "PatternError";
  }
}

type Token = string | typeof star | ((codePoint: number) => boolean);

const star = Symbol("star");

/**
 * Compile `*`, `?`, `[a-z]`, `[!a]` and `\` escapes. Matching walks two pointers with one step
 * back instead of a regular expression: at most pattern × text steps, so no pattern can hang.
 */
export function compileWildcard(pattern: string): Wildcard {
  if (!/[*?[\\(]/.test(pattern)) return { literal: pattern, test: (text) => text === pattern };
  const tokens = parse(pattern);
  if (tokens.every((token) => typeof token === "string")) {
    const literal = tokens.join("");
    return { literal, test: (text) => text === literal };
  }
  return { literal: undefined, test: fastTest(tokens) ?? ((text) => matches(tokens, text)) };
}

/** Escape a text so that as a pattern it matches only itself. */
export function escapeWildcard(text: string): string {
  return text.replaceAll(/[\\*?[\]{}()!+@,]/g, String.raw`\$&`);
}

/** What a pattern without wildcards stands for; other patterns lose their escapes. */
export function unescapeWildcard(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gsu, "$1");
}

function parse(pattern: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    if ("?*+@!".includes(char) && pattern[at + 1] === "(") {
      throw new PatternError(`"${char}(…)" is not supported: list the alternatives as {a,b}, or escape "("`);
    }
    if (char === "*") {
      if (tokens.at(-1) !== star) tokens.push(star);
    } else if (char === "?") {
      tokens.push(() => true);
    } else if (char === "[") {
      const end = classEnd(pattern, at);
      tokens.push(end === -1 ? char : parseClass(pattern.slice(at + 1, end)));
      if (end !== -1) at = end;
    } else if (char === "\\") {
      const next = pattern.codePointAt(at + 1);
      if (next === undefined) throw new PatternError(String.raw`a "\" at the end escapes nothing`);
      const escaped = String.fromCodePoint(next);
      tokens.push(escaped);
      at += escaped.length;
    } else {
      tokens.push(char);
    }
    at += char.length;
  }
  return tokens;
}

/** Index of the `]` that closes the class at `start`; a `]` right at its beginning is a member. */
function classEnd(pattern: string, start: number): number {
  const first = /^\[[!^]?/.exec(pattern.slice(start, start + 2))?.[0].length ?? 1;
  for (let at = start + first; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]" && at > start + first) return at;
  }
  return -1;
}

function parseClass(body: string): (codePoint: number) => boolean {
  if (body.includes("[:")) throw new PatternError('classes such as "[:alpha:]" are not supported');
  const negated = body.startsWith("!") || body.startsWith("^");
  const chars = [...(negated ? body.slice(1) : body).matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) => ({
    code: (escaped ?? plain ?? "").codePointAt(0) ?? 0,
    dash: plain === "-",
  }));
  const ranges: [number, number][] = [];
  for (let at = 0; at < chars.length; at++) {
    const from = chars[at]!.code;
    const to = chars[at + 1]?.dash === true ? chars[at + 2]?.code : undefined;
    ranges.push([from, to ?? from]);
    if (to === undefined) continue;
    if (to < from) throw new PatternError(`the range in "[${body}]" runs backwards`);
    at += 2;
  }
  return (code) => ranges.some(([from, to]) => code >= from && code <= to) !== negated;
}

/** `*`, `*end` and `start*` are what people write most. */
function fastTest(tokens: readonly Token[]): ((text: string) => boolean) | undefined {
  if (tokens.length === 1 && tokens[0] === star) return () => true;
  const rest = tokens[0] === star ? tokens.slice(1) : tokens.slice(0, -1);
  if (!rest.every((token) => typeof token === "string")) return undefined;
  const text = rest.join("");
  if (tokens[0] === star) return (name) => name.endsWith(text);
  return tokens.at(-1) === star ? (name) => name.startsWith(text) : undefined;
}

function matches(tokens: readonly Token[], text: string): boolean {
  let token = 0;
  let at = 0;
  let lastStar = -1;
  let resume = 0;
  while (at < text.length) {
    const current = tokens[token];
    const step = current === undefined || current === star ? 0 : stepOver(current, text, at);
    if (current === star) {
      lastStar = token++;
      resume = at;
    } else if (step > 0) {
      token++;
      at += step;
    } else if (lastStar >= 0) {
      token = lastStar + 1;
      resume += width(text, resume);
      at = resume;
    } else {
      return false;
    }
  }
  while (tokens[token] === star) token++;
  return token === tokens.length;
}

/** How many code units the token takes at this place; 0 where it does not match. */
function stepOver(token: Exclude<Token, typeof star>, text: string, at: number): number {
  if (typeof token === "string") return text.startsWith(token, at) ? token.length : 0;
  return token(text.codePointAt(at) ?? 0) ? width(text, at) : 0;
}

function width(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
}

/** Any names, or none. */
export const globstar = Symbol("**");

/** What one part of a path pattern stands for: a name, any names, or the names that pass a test. */
export type Segment = string | typeof globstar | ((name: string) => boolean);

/** Compile one part of a path pattern. Throws a `PatternError`. */
export function toSegment(name: string): Segment {
  if (/^\*{2,}$/.test(name)) return globstar;
  const { literal, test } = compileWildcard(name);
  return literal ?? test;
}

/**
 * Whether a pattern matches the names of a path. It walks with one step back, to the last `**`,
 * so no pattern can take more than pattern × path steps.
 */
export function matchNames(segments: readonly Segment[], names: readonly string[]): boolean {
  let segment = 0;
  let at = 0;
  let lastStar = -1;
  let resume = 0;
  while (at < names.length) {
    const current = segments[segment];
    if (current === globstar) {
      if (segment === segments.length - 1) return true;
      lastStar = segment++;
      resume = at;
    } else if (current !== undefined && fits(current, names[at]!)) {
      segment++;
      at++;
    } else if (lastStar >= 0) {
      segment = lastStar + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (segments[segment] === globstar) segment++;
  return segment === segments.length;
}

/** Whether one segment stands for one name. */
export function fits(segment: string | ((name: string) => boolean), name: string): boolean {
  return typeof segment === "string" ? segment === name : segment(name);
}
