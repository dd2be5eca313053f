import { constants } from "node:os";
import type { Exit } from "./launch.js";

/** Of a command that did not end in time. */
export const unknownExit: Exit = { code: null, signal: null };

/** The command was stopped: report the signal that ended it instead of the exit code 128 + signal. */
export function exitAfterStop({ code, signal }: Exit): {
  readonly exitCode: number | null;
  readonly signal: string | null;
} {
  const number = code === null ? 0 : code - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [null];
  return { exitCode: name === null ? code : null, signal: signal ?? name };
}
