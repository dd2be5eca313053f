import { createNameJudge } from "./secret-names.js";

const maxDepth = 64;
/** No format is shorter, and shorter values that are known would blacken ordinary words. */
const minSecretChars = 8;

/** Hides secrets in whatever is shown, sent or kept. */
export interface Redactor {
  /** A copy of the value without secrets; the value itself where there are none. */
  readonly redact: <T>(value: T) => T;
  /** Hide this value wherever it appears from now on. */
  readonly addKnown: (value: string) => void;
}

/** Make a redactor that knows the well-known formats, and the values that it is told. */
export function createRedactor(): Redactor {
  const known = new Set<string>();
  const isSecret = createNameJudge();
  const redactText = (text: string): string => {
    if (text.length < minSecretChars) return text;
    let clean = text.includes("-----BEGIN ") ? text.replace(privateKeys, redactionMark) : text;
    clean = clean.replace(formats, `$<bearer>${redactionMark}`);
    if (clean.includes("://")) clean = clean.replace(credentials, `$<scheme>${redactionMark}`);
    clean = hidePairs(clean, isSecret);
    for (const value of known) if (clean.includes(value)) clean = clean.replaceAll(value, redactionMark);
    return clean;
  };
  return {
    redact: (value) => redactValue(value, { redactText, isSecret }, 0) as typeof value,
    addKnown(value) {
      if (value.length >= minSecretChars) known.add(value);
    },
  };
}

interface Judges {
  readonly redactText: (text: string) => string;
  readonly isSecret: (name: string) => boolean;
}

const privateKeys =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;

/**
 * Formats that are secrets wherever they stand. Every alternative starts with a fixed
 * text and repeats one class of characters, so that matching stays linear. All start at a word, which is
 * asked once for all of them: asked by each, it takes three times as long.
 */
const formats = new RegExp(
  `\\b(?:${[
    "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\\b",
    "gh[opsur]_[A-Za-z0-9]{30,255}",
    "github_pat_[A-Za-z0-9_]{22,255}",
    "glpat-[A-Za-z0-9_-]{20,255}",
    "xox[abeoprs]-[A-Za-z0-9-]{10,255}",
    "sk-[A-Za-z0-9_-]{20,255}",
    "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}",
    "AIza[A-Za-z0-9_-]{35}",
    "ya29\\.[A-Za-z0-9_-]{20,500}",
    "npm_[A-Za-z0-9]{36}",
    "pypi-[A-Za-z0-9_-]{50,500}",
    "hf_[A-Za-z0-9]{30,255}",
    "dop_v1_[a-f0-9]{64}",
    "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}",
    "tvly-[A-Za-z0-9-]{16,255}",
    "tnn_[A-Za-z0-9_-]{43}",
    "xapp-[A-Za-z0-9-]{20,255}",
    "xai-[A-Za-z0-9]{40,255}",
    "gsk_[A-Za-z0-9]{40,255}",
    "glsa_[A-Za-z0-9_]{32,255}",
    "hvs\\.[A-Za-z0-9_-]{24,500}",
    "whsec_[A-Za-z0-9+/=]{24,255}",
    "dckr_pat_[A-Za-z0-9_-]{20,255}",
    "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "AGE-SECRET-KEY-1[A-Z0-9]{50,255}",
    "eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,2000}",
    "(?<bearer>(?:[Bb]earer|[Bb]asic|[Tt]oken) )[A-Za-z0-9._~+/=-]{16,4000}",
  ].join("|")})`,
  "g",
);

/** A password in an address. Apart, because it may start at any word: it is only looked for where an address is. */
const credentials = /(?<scheme>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)/g;

function redactValue(value: unknown, judges: Judges, depth: number): unknown {
  if (typeof value === "string") return judges.redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return "[too deep]";
  if (Array.isArray(value)) return redactArray(value, judges, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return redactObject(value as Record<string, unknown>, judges, depth);
}

function redactArray(value: readonly unknown[], judges: Judges, depth: number): unknown {
  let changed = false;
  const clean = value.map((item) => {
    const redacted = redactValue(item, judges, depth + 1);
    changed ||= redacted !== item;
    return redacted;
  });
  return changed ? clean : value;
}

function redactObject(value: Record<string, unknown>, judges: Judges, depth: number): unknown {
  let clean: Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const secret = typeof item === "string" && item !== "" && judges.isSecret(key);
    const redacted = secret ? redactionMark : redactValue(item, judges, depth + 1);
    if (redacted === item) continue;
    clean ??= { ...value };
    clean[key] = redacted;
  }
  return clean ?? value;
}

/** What stands in the place of a secret. */
const redactionMark = "[redacted]";

const maxNameLength = 81;
const minValueLength = 8;
const maxValueLength = 4000;

/**
 * Hide the values of `name=value` and `name: value` where the name looks like that of a secret, quoted or not.
 * By hand, from sign to sign: a regular expression would try a name at every word of a text.
 */
export function hidePairs(text: string, isSecret: (name: string) => boolean): string {
  let shown = "";
  let last = 0;
  // Looking for one character at a time is fastest.
  let equals = text.indexOf("=");
  let colon = text.indexOf(":");
  while (equals !== -1 || colon !== -1) {
    const isEquals = colon === -1 || (equals !== -1 && equals < colon);
    const sign = isEquals ? equals : colon;
    if (isEquals) equals = text.indexOf("=", sign + 1);
    else colon = text.indexOf(":", sign + 1);
    if (sign < last) continue; // inside of what is hidden already
    const name = nameBefore(text, sign);
    if (name === "") continue;
    const first = kindAt(text, sign + 1) === blank ? sign + 2 : sign + 1;
    const from = kindAt(text, first) === quote ? first + 1 : first;
    if (endOfValue(text, from, minValueLength) - from < minValueLength || !isSecret(name)) continue;
    shown += `${text.slice(last, from)}${redactionMark}`;
    last = endOfValue(text, from, maxValueLength);
  }
  return last === 0 ? text : `${shown}${text.slice(last)}`;
}

/** The name that ends before the sign, at most a blank and a quote away; empty where there is none. */
function nameBefore(text: string, sign: number): string {
  let end = sign;
  if (kindAt(text, end - 1) === blank) end--;
  if (kindAt(text, end - 1) === quote) end--;
  let start = end;
  while (start > 0 && end - start < maxNameLength && kindAt(text, start - 1) >= namePart) start--;
  while (start < end && kindAt(text, start) !== letter) start++;
  return text.slice(start, end);
}

function endOfValue(text: string, from: number, maxChars: number): number {
  const limit = Math.min(text.length, from + maxChars);
  let at = from;
  while (at < limit && kindAt(text, at) > separator) at++;
  return at;
}

// What a character can be; those from `namePart` on can be part of a name, those up to `separator` end a value.
const [blank, quote, separator, other, namePart, letter] = [0, 1, 2, 3, 4, 5] as const;

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return blank;
  if (/["']/.test(character)) return quote;
  if (/[,;&]/.test(character)) return separator;
  if (/[a-z]/i.test(character)) return letter;
  return /[0-9_-]/.test(character) ? namePart : other;
});

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return kinds[code]!;
  return /\s/.test(text.charAt(at)) ? blank : other;
}
