import * as z from "zod";
import type { CommandResult, JobInfo, JobState } from "../../contract/ports/processes.js";
import { heldBackList, heldBackOf, tellHeldBack } from "./held-back.js";

/** What `shell_exec` answers with. */
export const shellResult = z.object({
  command: z.string(),
  stdout: z.string().describe("Head and tail where it is long."),
  stderr: z.string(),
  exitCode: z.number().nullable().describe("null where it was stopped, or runs in the background."),
  signal: z.string().optional().describe("The signal that it was stopped by."),
  timedOut: z.boolean(),
  truncated: z.boolean().describe("stdout or stderr does not hold all."),
  changes: z
    .string()
    .optional()
    .describe("For since_last: a diff against the last run's output, empty where nothing changed."),
  outputFile: z.string().optional().describe("Handle under which read_result finds the whole output."),
  jobId: z.string().optional().describe("Of the background job."),
  state: z.string().optional().describe("What the background job does now."),
  cwd: z.string().optional(),
  shell: z.string().optional(),
  sandboxed: z.boolean(),
  ...heldBackList,
  notes: z.array(z.string()).describe("What else is to be known."),
});

export type ShellResult = z.infer<typeof shellResult>;

/** The answer for a command that ran to its end. */
export function toShellResult(
  command: string,
  result: CommandResult,
  { readOnly, callId }: { readonly readOnly: boolean; readonly callId: string },
): ShellResult {
  const { stdout, stderr, handle, signal } = result;
  return {
    command,
    ...heldBackOf(callId, result.heldBack),
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
    notes: notesOn(result, readOnly),
  };
}

function notesOn(result: CommandResult, readOnly: boolean): string[] {
  const notes = [...result.warnings];
  if (result.flooded) notes.push("It was stopped because it wrote without end.");
  if (result.exitAfterStop !== undefined) notes.push(`It was stopped: ${result.exitAfterStop}.`);
  if (result.leftBehind) notes.push(noteOnStopped(result.stoppedProcesses ?? []));
  if (!readOnly) notes.push(notUndoable);
  if (!result.sandbox.active) notes.push(unheld(result.sandbox.reason));
  return notes;
}

const shownProcesses = 5;

function noteOnStopped(commands: readonly string[]): string {
  const shown = commands
    .slice(0, shownProcesses)
    .map((line) => clip(line))
    .join("; ");
  const more = commands.length > shownProcesses ? "; …" : "";
  const which =
    commands.length === 0
      ? "Processes that were still running were stopped"
      : `${commands.length === 1 ? "1 process that was" : `${commands.length} processes that were`} still running ${commands.length === 1 ? "was" : "were"} stopped: ${shown}${more}`;
  return `${which}. To keep one running, start it with background: true.`;
}

function clip(line: string): string {
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`;
}

const notUndoable = "Changes by shell commands are not journalled: undo_edit cannot take them back.";

function unheld(reason: string): string {
  return `It ran without a sandbox: ${reason}.`;
}

/** The answer for a job that was started. */
export function toJobResult(command: string, job: JobInfo): ShellResult {
  const over = job.state.kind === "exited" ? job.state : undefined;
  return {
    command,
    stdout: "",
    stderr: "",
    exitCode: over?.exitCode ?? null,
    timedOut: false,
    truncated: false,
    jobId: job.jobId,
    state: describeState(job.state),
    sandboxed: job.sandbox.active,
    ...heldBackOf(job.callId, job.heldBack),
    notes: job.sandbox.active ? [] : [unheld(job.sandbox.reason)],
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

/** The text for the model: the output, then how it ended and what else is to be known. */
export function renderShell(result: ShellResult): string {
  const held = tellHeldBack(result);
  if (result.jobId !== undefined) return lines([...held, jobLine(result), ...result.notes]);
  const output = result.changes === undefined ? streams(result) : [changed(result.changes)];
  return lines([
    ...held,
    ...(output.length === 0 ? ["(no output)"] : output),
    ...endOf(result),
    ...result.notes.map(bracket),
  ]);
}

function streams({ stdout, stderr }: ShellResult): string[] {
  return [stdout.trimEnd(), labelled("stderr", stderr)].filter((part) => part !== "");
}

function changed(changes: string): string {
  return changes === ""
    ? "(the same output as the last time)"
    : `[changes since the last run]\n${changes.trimEnd()}`;
}

function jobLine({ jobId, state }: ShellResult): string {
  return `Backdeps job ${jobId} is ${state}. Look at it with shell_output, stop it with shell_kill; it ends with the session.`;
}

function endOf(result: ShellResult): string[] {
  const how: string[] = [];
  if (result.timedOut) how.push("[stopped at its time limit; what it wrote until then is above]");
  else if (result.exitCode !== 0) {
    how.push(
      `[exit code ${result.exitCode ?? `unknown${result.signal === undefined ? "" : `, ${result.signal}`}`}]`,
    );
  }
  if (result.outputFile !== undefined) {
    how.push(`[the whole output: read_result {"handle":"${result.outputFile}"}]`);
  }
  return how;
}

/** A text under its own heading, nothing where there is none. */
export function labelled(name: string, text: string): string {
  return text.trim() === "" ? "" : `[${name}]\n${text.trimEnd()}`;
}

function bracket(note: string): string {
  return `[${note}]`;
}

function lines(parts: readonly string[]): string {
  return parts.join("\n");
}
