import type { RuntimeBase } from "../state/runtime-base.js";
import { mkdtemp, rm } from "node:fs/promises";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { AuditLog, AuditRecord } from "../../contract/ports/audit.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import type { TenonOptions } from "../tenon-options.js";
import type { Tenon } from "../tenon.js";
import { ranDirectly } from "../../tools/shell/shell-result.js";
import { compareEnds, type ReplayPaths } from "./compare-ends.js";
import { copyWorkspace, rewindCopy } from "./copy-workspace.js";
import { openReplayTenon, type ReplayTenon } from "./replay-tenon.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";

/** How a recorded task is run again. */
export interface ReplayOptions {
  /** Keep the copy. @default false */
  readonly keep?: boolean | undefined;
  /** Also repeat calls that access the network, instead of using the recorded result. @default false */
  readonly live?: boolean | undefined;
  /** Names or paths not to copy. @default [] */
  readonly exclude?: readonly string[] | undefined;
  readonly onStep?: ((step: ReplayStep) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One recorded call and its comparison. */
export interface ReplayStep {
  readonly callId: string;
  readonly tool: string;
  /** `skipped`: not run again. */
  readonly verdict: "same" | "different" | "skipped";
  /** Why it was skipped. */
  readonly reason?: string | undefined;
  /** Diff from the recorded result to the new one. */
  readonly difference?: string | undefined;
  readonly durationMs: number;
}

const optionNames: KeysOf<ReplayOptions> = {
  keep: true,
  live: true,
  exclude: true,
  onStep: true,
  signal: true,
};

/** The result of a replay. */
export interface ReplayReport {
  readonly taskId: string;
  /** Whether every repeated call ended as recorded. */
  readonly same: boolean;
  readonly steps: readonly ReplayStep[];
  /** What makes the comparison less certain. */
  readonly notes: readonly string[];
  /** The copy, if it was kept. */
  readonly copy?: string | undefined;
}

export interface ReplayDeps extends RuntimeBase {
  readonly audit: AuditLog;
  readonly registry: ToolRegistry;
  /** Opens the Tenon that works on the copy. */
  readonly createTenon: (options: TenonOptions) => Tenon;
}

/** Run the recorded calls of a task again, in their order, on a copy of the workspace. */
export async function replayTask(
  parts: ReplayDeps,
  taskId: string,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  checkKeys(options, optionNames, "replay");
  const records = await recordsOf(parts.audit, taskId);
  const root = realpathSync(await mkdtemp(join(tmpdir(), "tenon-replay-")));
  const workspace = realpathSync(parts.workspace);
  const places = { workspace, copy: join(root, basename(workspace) || "workspace") };
  const stateDir = join(root, "state");
  try {
    const exclude = [parts.stateDir, ...(options.exclude ?? [])];
    await copyWorkspace({ ...places, exclude });
    const rewound = await rewindCopy({
      ...parts,
      ...places,
      stateDir,
      exclude,
      taskId,
      state: await parts.state.open(),
    });
    const tenon = openReplayTenon(parts, { ...places, stateDir, live: options.live === true });
    try {
      const steps = await runAll(tenon, { parts, records, places, options });
      return {
        taskId,
        same: steps.every(({ verdict }) => verdict !== "different"),
        steps,
        notes: notesOf(parts, records, rewound),
        ...(options.keep === true && { copy: places.copy }),
      };
    } finally {
      await tenon.close();
    }
  } finally {
    if (options.keep !== true) await rm(root, { recursive: true, force: true });
  }
}

/** The top-level calls with their full contents, in order. */
async function recordsOf(audit: AuditLog, taskId: string): Promise<AuditRecord[]> {
  const found = await audit.search({ taskId, limit: 100_000 });
  const own = found.filter(({ parentCallId }) => parentCallId === undefined);
  if (own.length === 0) {
    throw new ToolResourceNotFoundError(`Task "${taskId}" not found in the log.`, {
      hint: "tenon log --json shows the taskId of each call that was made with one.",
    });
  }
  const inOrder = own.sort((one, other) => one.time - other.time || one.seq - other.seq);
  const whole: AuditRecord[] = [];
  for (const record of inOrder) whole.push((await audit.get(record.seq)) ?? record);
  return whole;
}

interface ReplayRun {
  readonly parts: ReplayDeps;
  readonly records: readonly AuditRecord[];
  readonly places: ReplayPaths;
  readonly options: ReplayOptions;
}

async function runAll(tenon: ReplayTenon, run: ReplayRun): Promise<ReplayStep[]> {
  const steps: ReplayStep[] = [];
  for (const record of run.records) {
    run.options.signal?.throwIfAborted();
    const step = await runOne(tenon, record, run);
    run.options.onStep?.(step);
    steps.push(step);
  }
  return steps;
}

async function runOne(tenon: ReplayTenon, record: AuditRecord, run: ReplayRun): Promise<ReplayStep> {
  const base = { callId: record.callId, tool: record.tool, durationMs: 0 };
  const kept = skipReason(record) ?? tenon.reasonToSkip(record);
  if (kept !== undefined) return { ...base, ...kept };
  const envelope = await tenon.run(record, run.options.signal);
  const ended = { result: run.parts.redact(envelope.result), error: envelope.error };
  const { durationMs } = envelope;
  if (record.result === undefined && record.resultDigest !== undefined && ended.error === undefined)
    return { ...base, durationMs, verdict: "skipped", reason: "only the digest of its result was recorded" };
  const diff = compareEnds(record, ended, run.places);
  return diff === ""
    ? { ...base, durationMs, verdict: "same" }
    : { ...base, durationMs, verdict: "different", difference: diff };
}

/** Why a record is not complete enough to run. */
function skipReason(record: AuditRecord): Pick<ReplayStep, "verdict" | "reason"> | undefined {
  if (record.purged !== undefined) return { verdict: "skipped", reason: "its contents were purged" };
  if (record.arguments === undefined && record.argumentsDigest !== undefined)
    return { verdict: "skipped", reason: "its arguments were too large to be recorded" };
  if (JSON.stringify(record.arguments ?? null).includes("[redacted]"))
    return { verdict: "skipped", reason: "its arguments had a secret that was not recorded" };
  return undefined;
}

function notesOf(
  { registry }: ReplayDeps,
  records: readonly AuditRecord[],
  rewound: string | undefined,
): string[] {
  const direct = records.some(
    ({ tool, result }) => registry.get(tool)?.shellLine !== undefined && ranDirectly(result),
  );
  return [
    ...(rewound === undefined
      ? []
      : [
          `The copy could not be restored to the start of the task, so the replay used the current files: ${rewound}`,
        ]),
    ...(direct
      ? [
          "Commands that ran directly on the workspace are not in the journal: the copy contains their changes.",
        ]
      : []),
  ];
}
