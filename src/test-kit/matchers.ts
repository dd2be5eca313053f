import { toErrorInfo } from "../call/failure.js";
import type { ToolEnvelope } from "../contract/call.js";
import type { ErrorCode } from "../contract/error-codes.js";
import { type ErrorInfo, ToolError } from "../contract/errors.js";

/**
 * What the matchers add to `expect`.
 *
 * @example
 * declare module "vitest" {
 *   interface Matchers<T> extends TenonMatchers {}
 * }
 */
export interface TenonMatchers<Answer = void> {
  /** The call succeeded, and its envelope has the given part. Prints the error of a call that failed. */
  toSucceed(part?: Partial<Record<keyof ToolEnvelope, unknown>>): Answer;
  /** The call succeeded with exactly this result, as `toEqual` compares. */
  toSucceedWith(result: unknown): Answer;
  /** The call failed with this code, and its error has the given part. Prints what came instead. */
  toFailWith(
    code: ErrorCode | (string & {}) | RegExp,
    part?: Partial<Record<keyof ErrorInfo, unknown>>,
  ): Answer;
}

/** What Vitest and Jest hand to a matcher, as far as these need it. */
export interface MatcherState {
  readonly isNot?: boolean | undefined;
  equals(one: unknown, other: unknown, testers?: unknown[]): boolean;
  readonly utils: { readonly iterableEquality: unknown; readonly subsetEquality: unknown };
}

/** The verdict of a matcher. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

type Envelope = Pick<ToolEnvelope, "success" | "error" | "result">;

/**
 * Expect that a call succeeded, and that its envelope has the given part.
 *
 * @example
 * expect.extend({ toSucceed });
 * expect(await session.call("read_file", { path: "a.txt" })).toSucceed({ result: { content: "hi" } });
 */
export function toSucceed(this: MatcherState, received: unknown, part: object = {}): MatcherResult {
  const envelope = readEnvelope(received, "toSucceed");
  const matches = this.equals(envelope, part, [this.utils.iterableEquality, this.utils.subsetEquality]);
  return {
    pass: envelope.success && matches,
    message: () =>
      `Expected the call ${this.isNot === true ? "to fail" : "to succeed"}, but ${describeOutcome(envelope)}`,
    ...(envelope.success && !matches && { actual: pickKeys(envelope, part), expected: part }),
  };
}

/**
 * Expect that a call succeeded with exactly this result.
 *
 * @example
 * expect.extend({ toSucceedWith });
 * expect(await session.call(add, { a: 2, b: 3 })).toSucceedWith({ sum: 5 });
 */
export function toSucceedWith(this: MatcherState, received: unknown, result: unknown): MatcherResult {
  const envelope = readEnvelope(received, "toSucceedWith");
  return {
    pass: envelope.success && this.equals(envelope.result, result, [this.utils.iterableEquality]),
    message: () =>
      `Expected the call ${this.isNot === true ? "not " : ""}to succeed with another result: ${describeOutcome(envelope)}`,
    ...(envelope.success && { actual: envelope.result, expected: result }),
  };
}

/**
 * Expect that a call failed with this code, and that its error has the given part. It also takes an error that
 * `execute` of a tool threw.
 *
 * @example
 * expect.extend({ toFailWith });
 * expect(await session.call("read_file", { path: "none" })).toFailWith("RESOURCE_NOT_FOUND");
 * await expect(tool.execute(input, ctx)).rejects.toFailWith("RESOURCE_NOT_FOUND");
 */
export function toFailWith(
  this: MatcherState,
  received: unknown,
  code: string | RegExp,
  part: object = {},
): MatcherResult {
  const envelope: Envelope =
    received instanceof ToolError
      ? { success: false, error: toErrorInfo(received), result: undefined }
      : readEnvelope(received, "toFailWith");
  const found = envelope.success ? undefined : envelope.error;
  const sameCode = typeof code === "string" ? found?.code === code : code.test(found?.code ?? "");
  const matches = this.equals(found, part, [this.utils.iterableEquality, this.utils.subsetEquality]);
  return {
    pass: found !== undefined && sameCode && matches,
    message: () =>
      `Expected the call ${this.isNot === true ? "not " : ""}to fail with ${String(code)}, but ${describeOutcome(envelope)}`,
    ...(sameCode && !matches && { actual: found, expected: part }),
  };
}

function readEnvelope(received: unknown, matcher: string): Envelope {
  if (typeof received === "object" && received !== null && "success" in received) {
    if (typeof received.success === "boolean") return received as Envelope;
  }
  const hint = received instanceof Promise ? " It is a promise: await the call first." : "";
  throw new TypeError(`${matcher}() needs the envelope of a call, but got ${print(received)}.${hint}`);
}

function describeOutcome({ success, error, result }: Envelope): string {
  if (success) return `it succeeded with ${print(result)}`;
  if (error === undefined) return "it failed without an error";
  const hint = error.hint === undefined ? "" : `\n  hint: ${error.hint}`;
  const details = error.details === undefined ? "" : `\n  details: ${print(error.details)}`;
  return `it failed with ${error.code} (${error.type}):\n  ${error.message}${hint}${details}`;
}

function pickKeys(envelope: Envelope, part: object): object {
  const source = envelope as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.keys(part).map((key) => [key, source[key]]));
}

function print(value: unknown): string {
  const text = value instanceof Promise ? "a promise" : (JSON.stringify(value) ?? String(value));
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}
