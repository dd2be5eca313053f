import { CommanderError, type Command } from "commander";
import { ConfigError } from "../config/config-error.js";
import { ToolDefinitionError, ToolError, ToolValidationError } from "../contract/errors.js";
import { toFileProblem } from "../contract/file-problem.js";
import { messageOf } from "../contract/message-of.js";
import { toVisibleText } from "../text/visible-text.js";
import { exitCodes, UsageError, type Terminal } from "./command-line.js";
import { warn, writeJson } from "./output.js";

/** Where an error happened, and how it is to be told. */
interface ErrorPlace {
  readonly command: Command | undefined;
  readonly json: boolean;
  /** What commander says about the help of the command that it could not run. */
  readonly usage: string | undefined;
}

/** Report why a command ended early, on standard error or as JSON, and set the exit code. */
export function reportError(terminal: Terminal, error: unknown, { command, json, usage }: ErrorPlace): void {
  terminal.exitCode = exitCodeOf(error);
  if (error instanceof CommanderError && (!json || error.exitCode === 0)) return; // commander has printed it
  const hint = error instanceof CommanderError ? usage : hintOf(error, command);
  if (json) {
    writeJson(terminal, { success: false, error: toJson(error, hint) });
    return;
  }
  warn(terminal, describeError(error));
  if (hint !== undefined) terminal.stderr.write(`${toVisibleText(hint)}\n`);
}

/** How to get help for a command. */
export function helpHint(command: Command): string {
  return `Run '${commandPath(command)} --help' for usage.`;
}

/** The words that name a command: `tenon mcp-servers add`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

/** An error of the file system names the path, not the system call. */
function describeError(error: unknown): string {
  const { path, syscall } = Object(error) as { path?: unknown; syscall?: unknown };
  const isFileError =
    typeof path === "string" && typeof syscall === "string" && !(error instanceof ToolError);
  return isFileError ? `Cannot use ${path}: ${toFileProblem(error)}.` : messageOf(error);
}

function hintOf(error: unknown, command: Command | undefined): string | undefined {
  if (error instanceof ToolError)
    return [error.hint, keyFileOf(error)].filter(Boolean).join("\n") || undefined;
  return error instanceof UsageError && command !== undefined ? helpHint(command) : undefined;
}

/** The message does not say where the key file is, because callers over HTTP see it too. */
function keyFileOf({ code, cause }: ToolError): string | undefined {
  if (code !== "SECRETS_KEY_MISSING") return undefined;
  return `Key file: ${(cause as { readonly path: string }).path}`;
}

function toJson(error: unknown, hint: string | undefined) {
  const isUsage = exitCodeOf(error) === exitCodes.usage;
  const base =
    error instanceof ToolError
      ? { type: error.name, code: error.code }
      : { type: isUsage ? "UsageError" : "Error", code: isUsage ? "USAGE" : "FAILED" };
  const message = describeError(error).replace(/^error: /, "");
  return { ...base, message, ...(hint !== undefined && { hint }) };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  const isUsageError = [UsageError, ConfigError, ToolDefinitionError, ToolValidationError].some(
    (kind) => error instanceof kind,
  );
  return isUsageError ? exitCodes.usage : exitCodes.failure;
}
