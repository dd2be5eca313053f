import { isRecord } from "../contract/is-record.js";
import { nearest } from "../schema/nearest.js";
import type { PolicyRule } from "./policy-rule.js";

const textFields = ["tool", "agent", "user", "client", "session", "path", "command", "host"] as const;

const fields = new Set<string>([
  "id",
  "decision",
  ...textFields,
  "access",
  "exact",
  "given",
  "reason",
  "match",
  "notMatch",
] satisfies (keyof PolicyRule)[]);

/** Look at the shape of a rule; a mistyped field would make it wider than meant, so none is ignored. */
export function checkRule(value: unknown): readonly string[] {
  if (!isRecord(value)) return ["is not an object"];
  return [
    ...unknownFields(value),
    ...checkWords(value),
    ...textFields.flatMap((field) => checkTexts(field, value[field])),
    ...checkQualifiers(value),
    ...checkExamples("match", value["match"]),
    ...checkExamples("notMatch", value["notMatch"]),
  ];
}

function unknownFields(rule: Record<string, unknown>): string[] {
  const unknown = Object.keys(rule).filter((key) => !fields.has(key));
  return unknown.map((key) => {
    const meant = nearest(key, fields);
    return `has an unknown field "${key.slice(0, 80)}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  });
}

function checkWords({ id, decision, reason }: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (decision !== "allow" && decision !== "ask" && decision !== "deny") {
    problems.push('needs a decision: "allow", "ask" or "deny"');
  }
  if (id !== undefined && !isText(id, maxIdLength))
    problems.push(`has an id that is not a string of 1 to ${maxIdLength} characters`);
  if (reason !== undefined && !isText(reason, maxReasonLength)) {
    problems.push(`has a reason that is not a string of 1 to ${maxReasonLength} characters`);
  }
  return problems;
}

const maxIdLength = 256;
const maxReasonLength = 4096;
const maxPatterns = 1000;

/** Whether decisions carry this name where no rule of a person's decided. */
export function isReservedId(id: string): boolean {
  return RESERVED.test(id);
}

const RESERVED = /^(?:built-in:|mode:|capability$|security-level$)/;

function checkTexts(field: string, value: unknown): string[] {
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) return [`has an empty list as ${field}, which would match nothing`];
  if (list.length > maxPatterns) return [`has more than ${maxPatterns} patterns as ${field}`];
  const bad = list.some((item) => !isText(item, Infinity) || item.trim() === "" || item === "!");
  return bad ? [`has a ${field} that is empty, or neither a string nor a list of strings`] : [];
}

function checkQualifiers(rule: Record<string, unknown>): string[] {
  const { access, exact, given, path, command, decision } = rule;
  const problems: string[] = [];
  if (access !== undefined && access !== "read" && access !== "write")
    problems.push('has an access that is neither "read" nor "write"');
  if (access !== undefined && path === undefined)
    problems.push('has an access without a path; use path "**" for any');
  if (exact !== undefined && typeof exact !== "boolean")
    problems.push("has an exact that is neither true nor false");
  if (given !== undefined && (exact !== true || !isText(given, maxReasonLength)))
    problems.push("has a given that is not a string, or is not exact");
  if (exact === true && (command === undefined || decision !== "allow")) {
    problems.push("is exact, which only an allow rule for commands can be");
  }
  return problems;
}

function checkExamples(field: "match" | "notMatch", value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > maxPatterns)
    return [`has a ${field} that is not a list of examples`];
  return value.flatMap((example: unknown, index) => {
    const good =
      isRecord(example) &&
      isText(example["tool"], Infinity) &&
      ["agent", "user", "client", "session"].every(
        (who) => example[who] === undefined || typeof example[who] === "string",
      ) &&
      (example["arguments"] === undefined || isRecord(example["arguments"]));
    return good
      ? []
      : [`has a ${field}[${index}] that is not { tool, arguments?, agent?, user?, client?, session? }`];
  });
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}
