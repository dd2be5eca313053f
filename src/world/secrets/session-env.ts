import { ToolPermissionError, ToolValidationError } from "../../contract/errors.js";
import type { SessionEnv } from "../../contract/ports/env.js";
import { isSecretName } from "./secret-names.js";

export interface SessionEnvOptions {
  readonly initial: Readonly<Record<string, string>>;
  /** Whether a secret-looking name may be used nevertheless. */
  readonly isAllowed: (name: string) => boolean;
  /** Told of values under secret-looking names, so that they can be hidden elsewhere. */
  readonly onSecret?: (value: string) => void;
  /** Told of every change, so that a named session can keep it; resolves when it has. */
  readonly onChange?: (key: string, value: string) => Promise<void> | void;
  /** Names in `initial` that the session itself has set before. */
  readonly changed?: Iterable<string>;
}

const maxValueChars = 128 * 1024;

/** An environment of the session's own: the host process's is never touched. */
export function createSessionEnv(options: SessionEnvOptions): SessionEnv {
  const values = new Map(Object.entries(options.initial));
  const changed = new Set(options.changed);
  let keeping: Promise<void> = Promise.resolve();
  return {
    get(key) {
      refuseSecret(key, options);
      return values.get(key) ?? null;
    },
    set(key, value) {
      refuseSecret(key, options);
      refuseMalformed(key, value);
      const previous = values.get(key) ?? null;
      values.set(key, value);
      changed.add(key);
      if (isSecretName(key)) options.onSecret?.(value);
      keeping = Promise.resolve(options.onChange?.(key, value));
      // A failure is told to those who ask by kept().
      keeping.catch(() => undefined);
      return previous;
    },
    kept: () => keeping,
    entries: () => values,
    changed,
  };
}

function refuseSecret(key: string, { isAllowed }: SessionEnvOptions): void {
  if (!isSecretName(key) || isAllowed(key)) return;
  throw new ToolPermissionError(`the variable "${key}" looks like a secret.`, {
    code: "SECRET_REFUSED",
    hint: `A person can allow it by "secrets: { allowEnv: [${key}] }" in their configuration.`,
  });
}

function refuseMalformed(key: string, value: string): void {
  if (key === "" || key.includes("=") || key.includes("\0") || value.includes("\0")) {
    throw new ToolValidationError("A variable needs a name without '=' and NUL, and a value without NUL.", {
      code: "VALUE_INVALID",
    });
  }
  if (value.length > maxValueChars) {
    throw new ToolValidationError(`The value has ${value.length} characters; at most ${maxValueChars} fit.`, {
      code: "VALUE_INVALID",
    });
  }
}
