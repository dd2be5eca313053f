import type { ErrorCode } from "../contract/error-codes.js";
import { ToolDefinitionError } from "../contract/errors.js";
import { isRecord } from "../contract/is-record.js";
import {
  type RetryPolicy,
  securityLevels,
  type Tool,
  type ToolAnnotations,
  toolCategories,
  type ToolConcurrency,
} from "../contract/tool.js";
import { findUnknownKey, suggestKey, type KeysOf } from "../schema/check-keys.js";
import { nearest } from "../schema/nearest.js";
import { checkName, foldName, showName, splitSpec } from "./tool-name.js";
import { isRange, isVersion } from "./versions.js";

/** Refuse a definition that breaks a rule, with an error that says which. Schemas are checked by their compiler. */
export function checkDefinition(tool: Tool): void {
  checkName(tool.name, "name", "");
  const refuse: Refuse = (fault, code = "DEFINITION_INVALID", hint) => {
    throw new ToolDefinitionError(`Tool "${tool.name}" ${fault}.`, {
      code,
      toolName: tool.name,
      ...(hint !== undefined && { hint }),
    });
  };
  checkWords(tool, refuse);
  checkLists(tool, refuse);
  checkAnnotations(tool.annotations, refuse);
  checkReferences(tool, refuse);
  checkNumbers(tool, refuse);
  checkMethods(tool, refuse);
}

type Refuse = (fault: string, code?: ErrorCode, hint?: string) => never;

function checkWords(tool: Tool, refuse: Refuse): void {
  const { description, category, version, securityLevel } = tool;
  if (typeof description !== "string" || description.trim() === "") {
    refuse(
      "has no description",
      "DESCRIPTION_EMPTY",
      "Describe in a sentence what it does: models choose tools by it.",
    );
  }
  if (!toolCategories.includes(category)) {
    const near = typeof category === "string" ? nearest(category, toolCategories) : undefined;
    const advice =
      near === undefined ? `Use one of ${toolCategories.join(", ")}.` : `Did you mean "${near}"?`;
    refuse(`has the unknown category ${showName(category)}`, "DEFINITION_INVALID", advice);
  }
  if (version !== undefined && !isVersion(version)) {
    refuse(
      `has the version ${showName(version)}, which is not semver`,
      "NAME_INVALID",
      'Write it as "1.2.3".',
    );
  }
  if (securityLevel !== undefined && !securityLevels.includes(securityLevel)) {
    refuse(`has an unknown securityLevel; use one of ${securityLevels.join(", ")}`);
  }
}

function checkLists(tool: Tool, refuse: Refuse): void {
  for (const list of ["aliases", "dependsOn", "optionalDependsOn", "capabilities"] as const) {
    const value: unknown = tool[list];
    if (value === undefined) continue;
    if (!Array.isArray(value) || value.some((item) => typeof item !== "string" || item.trim() === "")) {
      refuse(
        `has ${list} that are not an array of names`,
        list === "aliases" ? "NAME_INVALID" : "DEFINITION_INVALID",
      );
    }
  }
  for (const alias of tool.aliases ?? []) checkName(alias, "alias", tool.name);
  const { examples } = tool;
  if (examples === undefined) return;
  const fit = Array.isArray(examples) && examples.every((example: unknown) => isExample(example));
  if (!fit) refuse("has examples that are not an array of { arguments: {…} }");
}

function isExample(example: unknown): boolean {
  if (typeof example !== "object" || example === null || !("arguments" in example)) return false;
  return typeof example.arguments === "object" && example.arguments !== null;
}

const annotationNames: KeysOf<ToolAnnotations> = {
  title: true,
  readOnly: true,
  dangerous: true,
  idempotent: true,
  openWorld: true,
  cacheable: true,
  serverHints: true,
};

/** MCP's names. */
const otherAnnotations = {
  readOnlyHint: "readOnly",
  destructiveHint: "dangerous",
  idempotentHint: "idempotent",
  openWorldHint: "openWorld",
};

function checkAnnotations(annotations: unknown, refuse: Refuse): void {
  if (annotations === undefined) return;
  if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) {
    refuse("has annotations that are not an object");
  }
  for (const [key, value] of Object.entries(annotations)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(annotationNames, key)) {
      const hint = suggestKey(key, Object.keys(annotationNames), otherAnnotations);
      refuse(`has the unknown annotation "${key}"`, "DEFINITION_INVALID", hint);
    }
    if (key === "serverHints") continue;
    const type = key === "title" ? "string" : "boolean";
    if (typeof value !== type) refuse(`has the annotation "${key}", which must be a ${type}`);
  }
}

function checkReferences(tool: Tool, refuse: Refuse): void {
  for (const dependency of [...(tool.dependsOn ?? []), ...(tool.optionalDependsOn ?? [])]) {
    const { name, range } = splitSpec(dependency);
    const legal = name !== "" && (range === undefined || (range !== "" && isRange(range)));
    if (!legal) refuse(`depends on ${showName(dependency)}, which is neither a name nor name@range`);
  }
  const { fallback } = tool;
  if (fallback === undefined) return;
  if (typeof fallback !== "string" || fallback.trim() === "") refuse("has a fallback that is not a name");
  const own = [tool.name, ...(tool.aliases ?? [])].map(foldName);
  if (own.includes(foldName(splitSpec(fallback).name))) refuse("falls back to itself");
}

function checkNumbers(tool: Tool, refuse: Refuse): void {
  const { timeoutMs, priority, retry, concurrency } = tool;
  if (timeoutMs !== undefined && timeoutMs !== null && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    refuse(
      "has a timeoutMs that is not a finite number above 0",
      "DEFINITION_INVALID",
      "Use null if the tool keeps its own limit.",
    );
  }
  if (priority !== undefined && !Number.isFinite(priority)) refuse("has a priority that is not finite");
  checkGroups(tool, refuse);
  const counts: [string, unknown, number][] = [
    ...fieldsOf(retry, "retry", ["attempts"], refuse).map(counted(0)),
    ...fieldsOf(concurrency, "concurrency", ["queue"], refuse).map(counted(0)),
    ...fieldsOf(concurrency, "concurrency", ["max"], refuse).map(counted(1)),
  ];
  for (const [field, value, min] of counts) {
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || (value as number) < min) {
      refuse(`has a ${field} that is not a whole number of at least ${min}`);
    }
  }
  for (const [field, value] of fieldsOf(retry, "retry", ["delayMs", "maxDelayMs"], refuse)) {
    if (value === undefined) continue;
    if (!Number.isFinite(value) || (value as number) < 0)
      refuse(`has a ${field} that is not a finite number of at least 0`);
  }
  const safe: unknown = concurrency?.safe;
  if (safe !== undefined && typeof safe !== "boolean") refuse("has a concurrency.safe that is not a boolean");
}

const retryKeys: KeysOf<RetryPolicy> = { attempts: true, delayMs: true, maxDelayMs: true };
const concurrencyKeys: KeysOf<ToolConcurrency> = { max: true, queue: true, safe: true };

function checkGroups({ retry, concurrency }: Tool, refuse: Refuse): void {
  for (const [name, value, known] of [
    ["retry", retry, retryKeys],
    ["concurrency", concurrency, concurrencyKeys],
  ] as const) {
    const key = isRecord(value) ? findUnknownKey(value, known) : undefined;
    if (key === undefined) continue;
    refuse(`has the unknown ${name}.${key}`, "DEFINITION_INVALID", suggestKey(key, Object.keys(known)));
  }
}

const counted =
  (min: number) =>
  ([field, value]: [string, unknown]): [string, unknown, number] => [field, value, min];

function fieldsOf(
  value: unknown,
  name: string,
  keys: readonly string[],
  refuse: Refuse,
): [string, unknown][] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) refuse(`has a ${name} that is not an object`);
  return keys.map((key) => [`${name}.${key}`, (value as Readonly<Record<string, unknown>>)[key]]);
}

/** The methods that a tool may have besides `execute`. */
export const optionalMethods = [
  "resources",
  "prepare",
  "shellLine",
  "runsOnlyLine",
  "meansCall",
  "checkPermissions",
  "preview",
  "validateDependencies",
  "healthCheck",
  "init",
  "dispose",
  "render",
] as const;

function checkMethods(tool: Tool, refuse: Refuse): void {
  if (typeof tool.execute !== "function") refuse("has no execute function");
  for (const name of optionalMethods) {
    if (tool[name] !== undefined && typeof tool[name] !== "function")
      refuse(`has a ${name} that is not a function`);
  }
}
