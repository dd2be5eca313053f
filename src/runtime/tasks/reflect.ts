import type { ToolEnvelope } from "../../contract/call.js";
import { errorCodes } from "../../contract/error-codes.js";
import type { ErrorInfo } from "../../contract/errors.js";
import type { Task } from "../../contract/ports/plan.js";
import type { TaskContext } from "./tasks.js";
import { checkKeys } from "../../schema/check-keys.js";
import { plural } from "../../text/plural.js";

/** A failure of a tool and what to do about it. */
export interface ToolFailure {
  readonly toolName: string;
  readonly error: string;
  readonly code: string;
  /** How often it failed this way. */
  readonly count: number;
  /** Whether the same tool, or a call around it, succeeded later. */
  readonly recovered: boolean;
  readonly suggestion: string;
}

/** An assessment of a task from its calls. */
export interface Reflection {
  readonly verdict: "complete" | "continue" | "replan";
  /** A one-sentence summary. */
  readonly assessment: string;
  readonly lessons: readonly string[];
  /** What to do next, if something is left. */
  readonly nextFocus?: string;
  readonly toolFailures: readonly ToolFailure[];
}

/** What counts besides the calls of a task. */
export interface ReflectOptions {
  /** Tasks of the plan that belong to it: it is not complete while one of them is open. */
  readonly planTasks?: readonly Pick<Task, "id" | "title" | "status" | "waitsFor">[] | undefined;
}

/**
 * Assess a task: is it complete, to be continued, or must the plan change? Pure: the same calls give the same answer.
 *
 * @example
 * const { verdict, lessons } = reflect({ actionsDone: answers });
 */
export function reflect(
  task: Pick<TaskContext, "actionsDone"> & Partial<TaskContext>,
  options: ReflectOptions = {},
): Reflection {
  checkKeys(options, { planTasks: true }, "reflect");
  const calls = task.actionsDone.filter((call) => call.metadata.parentCallId === undefined);
  const failures = groupFailures(calls);
  const open = failures.filter((failure) => !failure.recovered && !failure.tolerable);
  const left = (options.planTasks ?? []).filter(({ status }) => status !== "done" && status !== "cancelled");
  const verdict = judge({ calls, open, left: left.length });
  const nextFocus = focusOf(verdict, open, left);
  return {
    verdict,
    assessment: assess({ calls, failures, open, left: left.length, dropped: task.actionsDropped ?? 0 }),
    lessons: lessonsOf(failures, left),
    ...(nextFocus !== undefined && { nextFocus }),
    toolFailures: failures.map(({ toolName, error, count, recovered }) => ({
      toolName,
      error: error.message,
      code: error.code,
      count,
      recovered,
      suggestion: suggest({ error, count, toolName }),
    })),
  };
}

interface FailureGroup {
  readonly toolName: string;
  readonly error: ErrorInfo;
  readonly count: number;
  readonly recovered: boolean;
  /** A failed attempt that later calls overcame. */
  readonly tolerable: boolean;
}

/** Codes of failed attempts that do not matter if later calls succeeded. */
const misses = new Set([
  "RESOURCE_NOT_FOUND",
  "TOOL_NOT_FOUND",
  "ARGUMENTS_INVALID",
  "VALUE_INVALID",
  "EDIT_NO_CHANGE",
]);
const repeated = 3;

/** Failures of one tool with one code are one lesson, with the newest message. */
function groupFailures(calls: readonly ToolEnvelope[]): FailureGroup[] {
  const groups = new Map<string, { error: ErrorInfo; toolName: string; count: number; last: number }>();
  const lastSuccess = new Map<string, number>();
  let anySuccess = -1;
  calls.forEach(({ toolName, success, error }, at) => {
    if (success) {
      lastSuccess.set(toolName, at);
      anySuccess = at;
      return;
    }
    if (error === undefined) return;
    const key = JSON.stringify([toolName, error.code]);
    const count = (groups.get(key)?.count ?? 0) + 1;
    groups.set(key, { toolName, error, count, last: at });
  });
  return [...groups.values()].map(({ toolName, error, count, last }) => ({
    toolName,
    error,
    count,
    recovered: (lastSuccess.get(toolName) ?? -1) > last,
    tolerable: misses.has(error.code) && anySuccess > last,
  }));
}

function judge({
  calls,
  open,
  left,
}: {
  readonly calls: readonly ToolEnvelope[];
  readonly open: readonly FailureGroup[];
  readonly left: number;
}): Reflection["verdict"] {
  if (calls.length === 0) return "continue";
  if (open.some(isDeadEnd)) return "replan";
  return open.length > 0 || left > 0 || !calls.some(({ success }) => success) ? "continue" : "complete";
}

/** Repeating will not help: it was refused, the tool is missing, or it failed repeatedly. */
function isDeadEnd({ error, count }: FailureGroup): boolean {
  if (count >= repeated) return true;
  if (error.code === "APPROVAL_EXPIRED" || error.code === "CANCELLED") return false;
  return (
    isRefusal(error) ||
    error.type === "ToolNotFoundError" ||
    (error.type === "ToolUnavailableError" && !error.retryable)
  );
}

function isRefusal({ type }: ErrorInfo): boolean {
  return type === "ToolPermissionError" || type === "ToolSecurityError";
}

function assess(facts: {
  readonly calls: readonly ToolEnvelope[];
  readonly failures: readonly FailureGroup[];
  readonly open: readonly FailureGroup[];
  readonly left: number;
  readonly dropped: number;
}): string {
  const { calls, failures, open, left, dropped } = facts;
  if (calls.length === 0) return "Nothing was done yet.";
  const failed = calls.filter(({ success }) => !success).length;
  const parts = [
    `${calls.length - failed} of ${plural(calls.length, "call")} succeeded`,
    ...(failures.length > open.length
      ? [`${failures.length - open.length} kinds of failure were overcome`]
      : []),
    ...(open.length > 0 ? [`${open.length} are open (${open.map((one) => one.toolName).join(", ")})`] : []),
    ...(left > 0 ? [`${left} tasks of the plan are not done`] : []),
    ...(dropped > 0 ? [`${dropped} older calls are no longer known`] : []),
  ];
  return `${parts.join("; ")}.`;
}

function lessonsOf(
  failures: readonly FailureGroup[],
  left: NonNullable<ReflectOptions["planTasks"]>,
): string[] {
  const lessons = failures.map((failure) => {
    const { toolName, error, count, recovered } = failure;
    const times = count === 1 ? "failed" : `failed ${count} times`;
    const end = recovered ? "and worked later" : suggest({ error, count, toolName });
    return `${toolName} ${times} with ${error.code}${recovered ? ` ${end}.` : `: ${end}`}`;
  });
  const refusals = failures
    .filter(({ error }) => isRefusal(error))
    .reduce((sum, { count }) => sum + count, 0);
  if (refusals >= repeated)
    lessons.push(`${plural(refusals, "call")} refused: stay within what is allowed, or ask the person.`);
  const blocked = left.filter(({ status }) => status === "blocked");
  if (blocked.length > 0) lessons.push(`Blocked in the plan: ${blocked.map(({ id }) => id).join(", ")}.`);
  return lessons;
}

/** The error's hint, else that of its code, and a note about repetition. */
function suggest({ error, count, toolName }: { error: ErrorInfo; count: number; toolName: string }): string {
  const known = Object.hasOwn(errorCodes, error.code)
    ? errorCodes[error.code as keyof typeof errorCodes].hint
    : "Read the message and change the call.";
  const hint = error.hint ?? known;
  if (count < repeated) return hint;
  const other = toolName === "code_query" ? " (list_files and read_file can replace it)" : "";
  return `${hint} It failed ${count} times the same way: do not repeat it, use another approach${other}.`;
}

function focusOf(
  verdict: Reflection["verdict"],
  open: readonly FailureGroup[],
  left: NonNullable<ReflectOptions["planTasks"]>,
): string | undefined {
  if (verdict === "complete") return undefined;
  const worst = open.find(isDeadEnd) ?? open[0];
  if (worst !== undefined) return `${worst.toolName}: ${suggest({ ...worst })}`;
  const next =
    left.find(({ status, waitsFor }) => status === "in_progress" || waitsFor.length === 0) ?? left[0];
  return next === undefined ? undefined : `${next.id}: ${next.title}`;
}
