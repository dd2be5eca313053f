import { ToolValidationError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import type { ToolContext } from "../../contract/context.js";
import type { JobOutput } from "../../contract/ports/processes.js";
import { BudgetSpent, linearPattern } from "../../schema/linear-pattern.js";

/** What to wait for, and for how long. */
export interface JobWait {
  /** `listening`, `exit`, or a pattern that a line of the output matches; `undefined` does not wait. */
  readonly waitFor: string | undefined;
  readonly timeoutMs: number;
}

/** The output of a job, and whether what was waited for has happened. */
export interface AwaitedOutput extends JobOutput {
  readonly met?: boolean | undefined;
}

const pollMs = 100;
const maxOutputChars = 64_000;
/** Lines longer than this are matched by their end. */
const maxLineChars = 10_000;
/** Steps for one look at the new output. */
const maxSteps = 5_000_000;

/** Read the output of a job until it does what is waited for, ends, or the time is over. */
export async function waitForJob(
  jobId: string,
  { waitFor, timeoutMs }: JobWait,
  { processes, clock, signal }: Pick<ToolContext, "processes" | "clock" | "signal">,
): Promise<AwaitedOutput> {
  let all = await processes.output(jobId);
  if (waitFor === undefined) return all;
  const isMet = conditionFor(waitFor);
  const until = clock.monotonic() + timeoutMs;
  for (let next = all; ;) {
    if (isMet(next)) return { ...all, met: true };
    if (all.state.kind === "exited" || clock.monotonic() >= until) return { ...all, met: false };
    await clock.sleep(Math.min(pollMs, Math.max(1, until - clock.monotonic())), signal);
    next = await processes.output(jobId);
    all = join(all, next);
  }
}

/** The end of the output is kept; the whole of a long one is behind its handle. */
function join(before: JobOutput, next: JobOutput): JobOutput {
  const [stdout, stderr] = [before.stdout + next.stdout, before.stderr + next.stderr];
  const isLong = Math.max(stdout.length, stderr.length) > maxOutputChars;
  return {
    ...next,
    stdout: stdout.slice(-maxOutputChars),
    stderr: stderr.slice(-maxOutputChars),
    truncated: before.truncated || next.truncated || isLong,
  };
}

/** Whether it has happened, by the state of the job and its new output. */
function conditionFor(waitFor: string): (output: JobOutput) => boolean {
  if (waitFor === "exit") return ({ state }) => state.kind === "exited";
  if (waitFor === "listening") return ({ state }) => state.kind === "listening";
  const budget = { left: maxSteps };
  const pattern = compile(waitFor, budget);
  /** The last line of each stream, which may not be complete yet. */
  const rest = { stdout: "", stderr: "" };
  const matches = (stream: "stdout" | "stderr", text: string): boolean => {
    const lines = (rest[stream] + text).split("\n").map((line) => line.slice(-maxLineChars));
    rest[stream] = lines.at(-1) ?? "";
    return lines.some((line) => pattern.test(line));
  };
  return ({ stdout, stderr }) => {
    budget.left = maxSteps;
    try {
      return [matches("stdout", stdout), matches("stderr", stderr)].includes(true);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      throw invalidPattern(waitFor, "it takes too long to search the output for it");
    }
  };
}

/** Bounded in time whatever the pattern: it comes from a model. */
function compile(source: string, budget: { left: number }): ReturnType<typeof linearPattern> {
  try {
    return linearPattern(source, budget);
  } catch (error) {
    throw invalidPattern(source, messageOf(error));
  }
}

function invalidPattern(source: string, reason: string): ToolValidationError {
  return new ToolValidationError(
    `The pattern "${source.slice(0, 80)}" cannot be used as wait_for: ${reason}.`,
    {
      code: "VALUE_INVALID",
      hint: 'Use "listening", "exit" or a simple regular expression.',
      details: { argument: "wait_for" },
    },
  );
}
