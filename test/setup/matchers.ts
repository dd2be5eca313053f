import { expect } from "vitest";
import type { ToolEnvelope } from "../../src/contract/call.js";
import type { ErrorCode } from "../../src/contract/error-codes.js";
import type { ErrorInfo } from "../../src/contract/errors.js";

declare module "vitest" {
  // oxlint-disable-next-line no-unused-vars -- must repeat the parameters of the interface it extends
  interface Matchers<T> {
    /** The call succeeded, and its envelope has the given part. Prints the error of a call that failed. */
    toSucceed(part?: Partial<Record<keyof ToolEnvelope, unknown>>): void;
    /** The call succeeded with exactly this result (as `toEqual` compares). */
    toSucceedWith(result: unknown): void;
    /** The call failed with this code, and its error has the given part. Prints the error that came instead. */
    toFailWith(
      code: ErrorCode | (string & {}) | RegExp,
      part?: Partial<Record<keyof ErrorInfo, unknown>>,
    ): void;
  }
}

type Envelope = Pick<ToolEnvelope, "success" | "error" | "result">;

expect.extend({
  toSucceed(received: unknown, part: object = {}) {
    const envelope = readEnvelope(received, "toSucceed");
    const matches = this.equals(envelope, part, [this.utils.iterableEquality, this.utils.subsetEquality]);
    return {
      pass: envelope.success && matches,
      message: () =>
        `Expected the call ${this.isNot ? "to fail" : "to succeed"}, but ${describeOutcome(envelope)}`,
      ...(envelope.success && !matches && { actual: pickKeys(envelope, part), expected: part }),
    };
  },

  toSucceedWith(received: unknown, result: unknown) {
    const envelope = readEnvelope(received, "toSucceedWith");
    return {
      pass: envelope.success && this.equals(envelope.result, result, [this.utils.iterableEquality]),
      message: () =>
        `Expected the call ${this.isNot ? "not " : ""}to succeed with another result: ${describeOutcome(envelope)}`,
      ...(envelope.success && { actual: envelope.result, expected: result }),
    };
  },

  toFailWith(received: unknown, code: string | RegExp, part: object = {}) {
    const envelope = readEnvelope(received, "toFailWith");
    const found = envelope.success ? undefined : envelope.error;
    const sameCode = typeof code === "string" ? found?.code === code : code.test(found?.code ?? "");
    const matches = this.equals(found, part, [this.utils.iterableEquality, this.utils.subsetEquality]);
    return {
      pass: found !== undefined && sameCode && matches,
      message: () =>
        `Expected the call ${this.isNot ? "not " : ""}to fail with ${String(code)}, but ${describeOutcome(envelope)}`,
      ...(sameCode && !matches && { actual: found, expected: part }),
    };
  },
});

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
