import * as z from "zod";
import type { CommandResult, JobInfo, JobState } from "../../contract/ports/processes.js";
import { failureNotes, type FailureContext } from "./failure-notes.js";
import { networkPart, networkResult } from "./network-argument.js";
import type { HeldBack } from "../../contract/ports/quarantine.js";
import { changeFields, changesLine, notCommitted, type ChangeFields } from "./command-changes.js";
import { heldBackList, heldBackOf, heldBackNote } from "./held-back.js";

/** The result of `shell_exec`. */
export const shellResult = z.object({
  command: z.string(),
  stdout: z.string().describe("Start and end of the output if it is long."),
  stderr: z.string(),
  exitCode: z.number().nullable().describe("null if it was stopped or runs in the background."),
  signal: z.string().optional().describe("The signal that ended it."),
  timedOut: z.boolean(),
  truncated: z.boolean().describe("Whether stdout or stderr is incomplete."),
  ...changeFields,
  outputDiff: z
    .string()
    .optional()
    .describe("For since_last: a diff against the previous output, empty if nothing changed."),
  outputFile: z.string().optional().describe("Handle of the complete output for read_result."),
  jobId: z.string().optional().describe("Id of the background job."),
  state: z.string().optional().describe("Current state of the background job."),
  cwd: z.string().optional(),
  shell: z.string().optional(),
  sandboxed: z.boolean(),
  dryRun: z.boolean().optional(),
  ...heldBackList,
  ...networkResult,
  notes: z.array(z.string()).describe("Further remarks."),
});

export type ShellResult = z.infer<typeof shellResult>;

/** What else a result is made of. */
export interface ResultParts {
  readonly readOnly: boolean;
  readonly callId: string;
  /** What became of its changes, if they were collected. */
  readonly changes: ChangeFields;
  readonly held: readonly HeldBack[];
  /** What explains a failure. */
  readonly failure: FailureContext;
}

/** The result of a command that ran to its end. */
export function toShellResult(
  command: string,
  result: CommandResult,
  { readOnly, callId, changes, held, failure }: ResultParts,
): ShellResult {
  const { stdout, stderr, handle, signal } = result;
  return {
    command,
    ...heldBackOf(callId, [...result.heldBack, ...held]),
    ...changes,
    stdout: stdout.text,
    stderr: stderr.text,
    exitCode: result.exitCode,
    ...(signal !== null && { signal }),
    timedOut: result.timedOut,
    truncated: stdout.truncated || stderr.truncated,
    ...(handle !== undefined && { outputFile: handle }),
    cwd: result.cwd,
    shell: result.shell,
    sandboxed: result.sandbox.active,
    ...networkPart(result.network),
    notes: notesOn(result, readOnly, failure),
  };
}

function notesOn(result: CommandResult, readOnly: boolean, failure: FailureContext): string[] {
  const notes = [...failureNotes(result, failure), ...result.warnings];
  if (result.flooded) notes.push("The command was stopped because its output did not end.");
  if (result.stoppedBy !== undefined) notes.push(`${limitOutcome(result)}: ${result.stoppedBy}.`);
  if (result.leftBehind) notes.push(noteOnStopped(result.stoppedProcesses ?? []));
  if (!readOnly && result.commit === undefined) notes.push(notUndoable(result.direct));
  if (!result.sandbox.active) notes.push(unsandboxedNote(result.sandbox.reason));
  return notes;
}

/** A short command can end before anything measures its layer. */
function limitOutcome({ exitCode, commit }: CommandResult): string {
  const endedByItself = exitCode !== null && commit !== undefined;
  return endedByItself ? "None of its changes were committed" : "The command was stopped";
}

const maxShownProcesses = 5;

function noteOnStopped(commands: readonly string[]): string {
  const shown = commands
    .slice(0, maxShownProcesses)
    .map((line) => clipLine(line))
    .join("; ");
  const more = commands.length > maxShownProcesses ? "; …" : "";
  const which =
    commands.length === 0
      ? "Processes that were still running were stopped"
      : `${commands.length === 1 ? "1 process that was" : `${commands.length} processes that were`} still running ${commands.length === 1 ? "was" : "were"} stopped: ${shown}${more}`;
  return `${which}. To keep one running, start it with background: true.`;
}

function clipLine(line: string): string {
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`;
}

const directly = "The command ran directly on the workspace";

/** Whether a recorded result is that of a command whose changes are not in the journal. */
export function ranDirectly(result: unknown): boolean {
  const { jobId, notes } = Object(result) as Partial<ShellResult>;
  return jobId !== undefined || (notes ?? []).some((note) => note.startsWith(directly));
}

function notUndoable(reason: string | undefined): string {
  const why = reason === undefined ? "" : ` (${reason})`;
  return `${directly}${why}: undo_edit cannot undo its changes.`;
}

function unsandboxedNote(reason: string): string {
  return `The command ran without a sandbox: ${reason}.`;
}

/** The result of starting a job. */
export function toJobResult(command: string, job: JobInfo): ShellResult {
  const exited = job.state.kind === "exited" ? job.state : undefined;
  return {
    command,
    stdout: "",
    stderr: "",
    exitCode: exited?.exitCode ?? null,
    timedOut: false,
    truncated: false,
    jobId: job.jobId,
    state: describeState(job.state),
    cwd: job.cwd,
    sandboxed: job.sandbox.active,
    ...heldBackOf(job.callId, job.heldBack),
    notes: job.sandbox.active ? [] : [unsandboxedNote(job.sandbox.reason)],
  };
}

/** The state of a job in words. */
export function describeState(state: JobState): string {
  if (state.kind === "listening") {
    return `listening on port${state.ports.length > 1 ? "s" : ""} ${state.ports.join(", ")}`;
  }
  if (state.kind !== "exited") return state.kind;
  return state.signal === null
    ? `exited with code ${state.exitCode ?? "unknown"}`
    : `ended by ${state.signal}`;
}

/** The text for the model: the output, how the command ended, and further remarks. */
export function renderShell(result: ShellResult): string {
  const held = [...notCommitted(result, withheldReason(result)), ...heldBackNote(result)];
  if (result.jobId !== undefined) return joinLines([...held, jobLine(result), ...result.notes]);
  const output = result.outputDiff === undefined ? outputStreams(result) : [changesText(result.outputDiff)];
  return joinLines([
    ...held,
    ...(output.length === 0 ? ["(no output)"] : output),
    ...changesLine(result),
    ...(result.dryRun === true && result.diff !== undefined ? [result.diff.trimEnd()] : []),
    ...endNotes(result),
    ...result.notes.map(bracket),
  ]);
}

/** Why nothing was committed although nothing was held back. */
function withheldReason({ dryRun, timedOut, notes }: ShellResult): string | undefined {
  if (dryRun === true) return "dry run";
  if (timedOut) return "stopped at the time limit";
  if (notes.some((note) => note.startsWith("The command failed because it ran on a layer")))
    return "failed because it ran on a layer";
  return notes.find((note) => note.startsWith("The command was stopped"))?.replace(/\.$/, "");
}

function outputStreams({ stdout, stderr }: ShellResult): string[] {
  return [stdout.trimEnd(), withLabel("stderr", stderr)].filter((part) => part !== "");
}

function changesText(changes: string): string {
  return changes === ""
    ? "(same output as in the last run)"
    : `[changes since the last run]\n${changes.trimEnd()}`;
}

function jobLine({ jobId, state }: ShellResult): string {
  return `Background job ${jobId} is ${state}. Read its output with shell_output, stop it with shell_kill. It ends with the session.`;
}

function endNotes(result: ShellResult): string[] {
  const how: string[] = [];
  if (result.timedOut) how.push("[stopped at the time limit; its output until then is above]");
  else if (result.exitCode !== 0) {
    how.push(
      `[exit code ${result.exitCode ?? `unknown${result.signal === undefined ? "" : `, ${result.signal}`}`}]`,
    );
  }
  if (result.outputFile !== undefined) {
    how.push(`[complete output: read_result {"handle":"${result.outputFile}"}]`);
  }
  return how;
}

/** A text under a heading; empty if there is no text. */
export function withLabel(name: string, text: string): string {
  return text.trim() === "" ? "" : `[${name}]\n${text.trimEnd()}`;
}

function bracket(note: string): string {
  return `[${note}]`;
}

function joinLines(parts: readonly string[]): string {
  return parts.join("\n");
}
