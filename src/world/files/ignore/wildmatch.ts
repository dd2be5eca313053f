/** A compiled pattern of an ignore file. */
export interface Wildmatch {
  /** The text itself, where the pattern holds no wildcard. */
  readonly literal: string | undefined;
  /** The end of the text, for `*end`. */
  readonly suffix: string | undefined;
  readonly test: (text: string) => boolean;
}

/** How stars are read: in one name, or in a path where only `**` crosses a slash. */
export type WildmatchMode = "name" | "path";

/**
 * Compile a pattern as git's wildmatch reads it, byte for byte: texts are strings of bytes. Matching
 * walks with one step back to the last `*` and one to the last `**`, so no pattern can hang.
 */
export function compileWildmatch(pattern: string, mode: WildmatchMode): Wildmatch {
  const tokens = parsePattern(pattern, mode);
  if (tokens === undefined) return { literal: undefined, suffix: undefined, test: () => false };
  if (tokens.every((token) => typeof token === "number")) {
    const literal = String.fromCharCode(...tokens);
    return { literal, suffix: undefined, test: (text) => text === literal };
  }
  const [first, ...rest] = tokens;
  if (mode === "name" && first === star && rest.every((token) => typeof token === "number")) {
    const suffix = String.fromCharCode(...rest);
    return { literal: undefined, suffix, test: (text) => text.endsWith(suffix) };
  }
  return { literal: undefined, suffix: undefined, test: quickTest(tokens, mode) };
}

/** Compares the literal beginning first, in which most texts differ. */
function quickTest(tokens: readonly Token[], mode: WildmatchMode): (text: string) => boolean {
  const count = tokens.findIndex((token) => typeof token !== "number");
  const start = String.fromCharCode(...(tokens.slice(0, count) as number[]));
  if (mode === "name" && count === tokens.length - 1 && tokens[count] === star) {
    return (text) => text.startsWith(start);
  }
  return (text) => text.startsWith(start) && matchesTokens(tokens, text, mode);
}

/** A byte, a wildcard, or the bytes of a class. */
type Token =
  | number
  | typeof anyCharacter
  | typeof star
  | typeof anyDirectories
  | typeof someDirectories
  | typeof everything
  | ByteSet;

type ByteSet = Uint8Array;

const anyCharacter = "?";
const star = "*";
/** Some whole directories, or none. */
const anyDirectories = "**/";
/** At least one whole directory. */
const someDirectories = "**\\/";
const everything = "**";

const SLASH = 0x2f;

/** `undefined` for a malformed pattern, which matches nothing. */
function parsePattern(pattern: string, mode: WildmatchMode): Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at];
    if (char === "*") {
      const end = endOfStars(pattern, at);
      const { token, length } = starToken(pattern, { at, end, mode });
      tokens.push(token);
      at = end + length;
    } else if (char === "[") {
      const set = parseClass(pattern, at);
      if (set === undefined) return undefined;
      if (mode === "path") set.bytes[SLASH] = 0;
      tokens.push(set.bytes);
      at = set.end;
    } else if (char === "\\") {
      if (at + 1 >= pattern.length) return undefined;
      tokens.push(pattern.charCodeAt(at + 1));
      at += 2;
    } else {
      tokens.push(char === "?" ? anyCharacter : pattern.charCodeAt(at));
      at += 1;
    }
  }
  return tokens;
}

function endOfStars(pattern: string, start: number): number {
  let end = start;
  while (pattern[end] === "*") end += 1;
  return end;
}

/** What a run of stars means, and how many characters after it belong to it. */
function starToken(
  pattern: string,
  { at, end, mode }: { at: number; end: number; mode: WildmatchMode },
): { token: Token; length: number } {
  const alone = at === 0 || pattern[at - 1] === "/";
  if (mode === "name" || end - at === 1 || !alone) return { token: star, length: 0 };
  if (end === pattern.length) return { token: everything, length: 0 };
  if (pattern[end] === "/") return { token: anyDirectories, length: 1 };
  if (pattern.startsWith("\\/", end)) return { token: someDirectories, length: 2 };
  return { token: star, length: 0 };
}

function parseClass(pattern: string, start: number): { bytes: ByteSet; end: number } | undefined {
  let at = start + 1;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  if (negated) at += 1;
  const bytes = new Uint8Array(256);
  let previous = 0;
  for (let first = true; first || pattern[at] !== "]"; first = false) {
    const member = parseMember(pattern, at, { previous, bytes });
    if (member === undefined) return undefined;
    previous = member.previous;
    at = member.next;
  }
  if (negated) for (let byte = 0; byte < 256; byte += 1) bytes[byte] = bytes[byte] === 0 ? 1 : 0;
  return { bytes, end: at + 1 };
}

interface Member {
  /** The byte that a range could begin with; 0 where none can. */
  readonly previous: number;
  readonly next: number;
}

/** Read one member of a class into `bytes`; `undefined` where the class is never closed. */
function parseMember(
  pattern: string,
  at: number,
  { previous, bytes }: { previous: number; bytes: ByteSet },
): Member | undefined {
  const char = pattern[at];
  if (char === undefined) return undefined;
  if (char === "-" && previous !== 0 && pattern[at + 1] !== undefined && pattern[at + 1] !== "]") {
    const escaped = pattern[at + 1] === "\\" ? 1 : 0;
    const last = pattern.charCodeAt(at + 1 + escaped);
    if (Number.isNaN(last)) return undefined;
    if (previous <= last) bytes.fill(1, previous, last + 1);
    return { previous: 0, next: at + 2 + escaped };
  }
  if (char === "[" && pattern[at + 1] === ":") {
    const close = pattern.indexOf("]", at + 2);
    if (close === -1) return undefined;
    if (close > at + 2 && pattern[close - 1] === ":") {
      const members = classes[pattern.slice(at + 2, close - 1)];
      if (members === undefined) return undefined;
      for (let byte = 0; byte < 128; byte += 1) if (members.test(String.fromCharCode(byte))) bytes[byte] = 1;
      return { previous: 0, next: close + 1 };
    }
  }
  const escaped = char === "\\" ? 1 : 0;
  const code = pattern.charCodeAt(at + escaped);
  if (Number.isNaN(code)) return undefined;
  bytes[code] = 1;
  return { previous: code, next: at + 1 + escaped };
}

const classes: Readonly<Record<string, RegExp | undefined>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // oxlint-disable-next-line no-control-regex -- that is what this class is
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

function matchesTokens(tokens: readonly Token[], text: string, mode: WildmatchMode): boolean {
  const crossing = mode === "name";
  let token = 0;
  let at = 0;
  let starToken = -1;
  let starAt = 0;
  let deepToken = -1;
  let deepAt = 0;
  for (;;) {
    const current = tokens[token];
    if (current === undefined && at === text.length) return true;
    if (current === everything) return true;
    if (current === star) {
      starToken = token++;
      starAt = at;
      continue;
    }
    if (current === anyDirectories || current === someDirectories) {
      deepToken = token++;
      deepAt = at;
      starToken = -1;
      if (current === anyDirectories) continue;
    } else if (
      current !== undefined &&
      at < text.length &&
      matchesToken(current, text.charCodeAt(at), crossing)
    ) {
      token += 1;
      at += 1;
      continue;
    } else if (starToken >= 0 && starAt < text.length && (crossing || text.charCodeAt(starAt) !== SLASH)) {
      token = starToken + 1;
      at = ++starAt;
      continue;
    }
    if (deepToken < 0) return false;
    const slash = text.indexOf("/", deepAt);
    if (slash === -1) return false;
    deepAt = at = slash + 1;
    token = deepToken + 1;
    starToken = -1;
  }
}

function matchesToken(token: Exclude<Token, typeof star>, code: number, crossing: boolean): boolean {
  if (typeof token === "number") return token === code;
  if (token === anyCharacter) return crossing || code !== SLASH;
  return token instanceof Uint8Array && token[code] === 1;
}
