import { setOwn } from "../contract/set-own.js";
import { ToolExecutionError } from "../contract/errors.js";
import type { ChainComparison, ChainCondition, ChainScope, ChainValue } from "./chain-types.js";
import { follow, parseText, type Reference } from "./reference.js";

/** A value that is filled in for each run of the chain. */
export type Maker = (scope: ChainScope) => unknown;

/** Compile a value once; texts with references are cut up here, not at each run. */
export function compileValue(value: ChainValue<never> | undefined): Maker {
  if (typeof value === "function") return value as Maker;
  return compile(value);
}

export function compileCondition(
  condition: ChainCondition<never> | undefined,
): (scope: ChainScope) => boolean {
  if (condition === undefined) return () => true;
  if (typeof condition === "function") return (scope) => Boolean((condition as Maker)(scope));
  if (typeof condition === "string") {
    const make = compile(condition, true);
    return (scope) => isThere(make(scope));
  }
  return compileComparison(condition);
}

export function referencesIn(value: unknown): readonly Reference[] {
  if (typeof value === "string") return parseText(value).filter((piece) => typeof piece !== "string");
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => referencesIn(inner));
}

function compile(value: unknown, lenient = false): Maker {
  if (typeof value === "string") return compileText(value, lenient);
  if (Array.isArray(value)) {
    const makers = value.map((item) => compile(item, lenient));
    return (scope) => makers.map((make) => make(scope)).map((item) => (item === undefined ? null : item));
  }
  if (typeof value !== "object" || value === null) return () => value;
  const makers = Object.entries(value).map(([key, inner]) => [key, compile(inner, lenient)] as const);
  return (scope) => {
    const made: Record<string, unknown> = {};
    for (const [key, make] of makers) {
      const inner = make(scope);
      if (inner !== undefined) setOwn(made, key, inner);
    }
    return made;
  };
}

function compileText(text: string, lenient: boolean): Maker {
  const pieces = parseText(text);
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && typeof only !== "string")
    return (scope) => lookUp(only, scope, lenient);
  if (pieces.every((piece) => typeof piece === "string")) return () => text;
  return (scope) =>
    pieces
      .map((piece) => (typeof piece === "string" ? piece : toText(lookUp(piece, scope, lenient))))
      .join("");
}

function lookUp(reference: Reference, scope: ChainScope, lenient: boolean): unknown {
  const { root, step, path, optional } = reference;
  const start: unknown = root === "input" ? scope.input : scope.steps[step as string];
  const found = follow(start, path);
  // A skipped step has no result, which is not an error of the next one.
  if (found !== undefined || optional || lenient || start === undefined) return found;
  throw new ToolExecutionError(`There is nothing at {{ ${reference.text} }}.`, {
    code: "CHAIN_REFERENCE_EMPTY",
    hint: `It has: ${keysOf(start)}. Write {{ ${reference.text}? }} where it may be missing.`,
  });
}

function keysOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  return Object.keys(value).slice(0, 20).join(", ") || "nothing";
}

function toText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function compileComparison(comparison: ChainComparison): (scope: ChainScope) => boolean {
  const value = compile(comparison.value, true);
  const { greaterThan, lessThan, exists } = comparison;
  const equals = comparison.equals === undefined ? undefined : compile(comparison.equals);
  const notEquals = comparison.notEquals === undefined ? undefined : compile(comparison.notEquals);
  const among = comparison.in?.map((item) => compile(item));
  return (scope) => {
    const actual = value(scope);
    return (
      (equals === undefined || isSame(actual, equals(scope))) &&
      (notEquals === undefined || !isSame(actual, notEquals(scope))) &&
      (among === undefined || among.some((make) => isSame(actual, make(scope)))) &&
      (greaterThan === undefined || (typeof actual === "number" && actual > greaterThan)) &&
      (lessThan === undefined || (typeof actual === "number" && actual < lessThan)) &&
      (exists === undefined || (actual !== undefined && actual !== null) === exists)
    );
  };
}

function isThere(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return Boolean(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}
