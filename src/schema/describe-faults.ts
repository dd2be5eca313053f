import { attempt } from "../contract/errno.js";
import type { ArgumentIssue } from "./checked.js";
import { valueAt, type Fault } from "./fault.js";
import { clip, formatPath } from "./format-path.js";
import { nearest } from "./nearest.js";

/** What is checked, in the words for it as a whole. */
export type Subject = "The arguments" | "The result";

/** Put faults into words: every one, up to a number that nobody would read any more. */
export function describeFaults(
  faults: readonly Fault[],
  root: unknown,
  subject: Subject,
): readonly ArgumentIssue[] {
  const view = { root, subject, listed: new Set<string>() };
  const issues = faults.slice(0, maxIssues).map((fault) => describe(fault, view));
  const more = faults.length - issues.length;
  if (more > 0) issues.push({ path: "", message: `${more} more faults of this kind follow` });
  return issues;
}

const maxIssues = 50;

interface View {
  readonly root: unknown;
  readonly subject: Subject;
  /** Objects whose known names were listed: once is enough, however many others they have. */
  readonly listed: Set<string>;
}

function describe(fault: Fault, view: View): ArgumentIssue {
  const { root, subject } = view;
  const path = formatPath(fault.path);
  const name = path === "" ? subject : `"${path}"`;
  if (fault.kind === "unknown") return describeUnknown(fault, path, view.listed);
  if (fault.kind === "forms") return { path, message: describeForms(fault, name, view) };
  const expected = listExpected(fault);
  if (fault.kind === "missing") {
    const text = fault.message ?? `is required${expected === "" ? "" : ` (${expected})`}`;
    const message = say(name, text);
    return { path, message, ...(expected === "" ? {} : { expected }), received: "nothing" };
  }
  if (fault.kind === "rule") return { path, message: say(name, fault.message ?? "does not fit the schema") };
  return describeMismatch({ fault, path, name, expected, value: valueAt(root, fault.path) });
}

interface Mismatch {
  readonly fault: Fault;
  readonly path: string;
  readonly name: string;
  readonly expected: string;
  readonly value: unknown;
}

function describeMismatch({ fault, path, name, expected, value }: Mismatch): ArgumentIssue {
  const received = typeWord(value);
  const suggestion = fault.kind === "value" ? nearestValue(value, fault.expected ?? []) : undefined;
  const guess = suggestion === undefined ? "" : `. Did you mean ${JSON.stringify(suggestion)}?`;
  const shown = looksSecret(fault.path.at(-1)) ? "" : preview(value);
  const message =
    fault.message === undefined
      ? `${name}: expected ${expected}, received ${received}${shown}${guess}`
      : say(name, fault.message);
  return { path, message, expected, received, ...(suggestion === undefined ? {} : { suggestion }) };
}

function describeUnknown(fault: Fault, path: string, listed: Set<string>): ArgumentIssue {
  const key = String(fault.path.at(-1));
  // The other branches of a union may know the very same name.
  const known = fault.known?.filter((name) => name !== key) ?? [];
  const near = nearest(key, known);
  // A unit behind a name is not a typo: the argument may be in another one.
  const suggestion = near !== undefined && namesUnitOf(key, near) ? undefined : near;
  const parent = formatPath(fault.path.slice(0, -1));
  const where = parent === "" ? "" : ` in "${parent}"`;
  const names = listed.has(parent) ? [] : known;
  if (suggestion === undefined) listed.add(parent);
  const guess = suggestion === undefined ? listKnown(names) : `. Did you mean "${suggestion}"?`;
  const message = `Unknown argument ${JSON.stringify(clip(key))}${where}${guess}`;
  return suggestion === undefined ? { path, message } : { path, message, suggestion };
}

function namesUnitOf(key: string, known: string): boolean {
  return (
    key.startsWith(known) && /^(?:_?(?:ms|millis|secs?|mins|kb|mb)|_s|_min)$/i.test(key.slice(known.length))
  );
}

function listKnown(known: readonly string[]): string {
  if (known.length === 0) return "";
  return `. Known: ${shortList(known.map((name) => clip(name, 40)))}`;
}

function describeForms({ forms = [] }: Fault, name: string, view: View): string {
  const ways = forms.slice(0, 4).map((faults, index) => {
    // Each form knows other names.
    const own = { ...view, listed: new Set<string>() };
    const first = faults.slice(0, 3).map((fault) => clip(describe(fault, own).message, 200));
    return `(${index + 1}) ${first.join(", ")}`;
  });
  const rest = forms.length > ways.length ? `; and ${forms.length - ways.length} more` : "";
  return clip(`${name} fits none of the allowed forms: ${ways.join("; ")}${rest}`, 1000);
}

/** "must be …" reads on from the name; a whole sentence stands behind a colon. */
function say(name: string, message: string): string {
  const text = clip(message.replace(/\.$/, ""), 300);
  return /^(must|does|is|has|cannot) /.test(text) ? `${name} ${text}` : `${name}: ${text}`;
}

function listExpected({ kind, expected = [] }: Fault): string {
  if (kind === "value" || expected.some((word) => /^["\d-]/.test(word))) {
    const values = shortList(expected.map((word) => clip(word, 60)));
    return expected.length > 1 ? `one of ${values}` : values;
  }
  return expected.slice(0, 8).join(" or ");
}

function shortList(words: readonly string[]): string {
  const rest = words.length > 20 ? `, … (${words.length - 20} more)` : "";
  return words.slice(0, 20).join(", ") + rest;
}

function nearestValue(value: unknown, expected: readonly string[]): string | undefined {
  if (typeof value !== "string") return undefined;
  const texts = expected
    .filter((word) => word.startsWith('"'))
    .map((word) => attempt(() => String(JSON.parse(word))) ?? word);
  return nearest(value, texts);
}

function typeWord(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}

/** A short scalar helps to see the slip ("5" for 5); anything longer only costs. */
function preview(value: unknown): string {
  if (Number.isFinite(value) || typeof value === "boolean") return ` (${String(value)})`;
  return typeof value === "string" ? ` (${clip(JSON.stringify(clip(value, 60)), 100)})` : "";
}

/** Faults end in logs and audit records: a value under such a name is not repeated in them. */
function looksSecret(key: unknown): boolean {
  return typeof key === "string" && /pass|secret|token|credential|auth|api_?-?key|private/i.test(key);
}
