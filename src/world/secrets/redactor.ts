import { hidePairs, redactionMark } from "./hide-pairs.js";
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
    let clean = text.replace(formats, `$<bearer>${redactionMark}`);
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

/**
 * Formats that are secrets wherever they stand. Every alternative starts with a fixed
 * text and repeats one class of characters, so that matching stays linear.
 */
const formats = new RegExp(
  [
    "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
    "\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\\b",
    "\\bgh[opsur]_[A-Za-z0-9]{30,255}",
    "\\bgithub_pat_[A-Za-z0-9_]{22,255}",
    "\\bglpat-[A-Za-z0-9_-]{20,255}",
    "\\bxox[abeoprs]-[A-Za-z0-9-]{10,255}",
    "\\bsk-[A-Za-z0-9_-]{20,255}",
    "\\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,255}",
    "\\bAIza[A-Za-z0-9_-]{35}",
    "\\bya29\\.[A-Za-z0-9_-]{20,500}",
    "\\bnpm_[A-Za-z0-9]{36}",
    "\\bpypi-[A-Za-z0-9_-]{50,500}",
    "\\bhf_[A-Za-z0-9]{30,255}",
    "\\bdop_v1_[a-f0-9]{64}",
    "\\bSG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}",
    "\\btvly-[A-Za-z0-9-]{16,255}",
    "\\beyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,2000}",
    "(?<bearer>\\b(?:[Bb]earer|[Bb]asic|[Tt]oken) )[A-Za-z0-9._~+/=-]{16,4000}",
  ].join("|"),
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
