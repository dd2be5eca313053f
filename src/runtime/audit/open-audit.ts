import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditHead, AuditStart, InterruptedEffects } from "../../contract/ports/audit.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import { createAuditLog, type OpenedAuditLog } from "../../record/audit/audit-log.js";
import { AuditRecorder } from "../../record/audit/audit-recorder.js";
import { purgeLog, type PurgeRequest, type Purged } from "../../record/audit/purge.js";
import { asideDir, dropOldSegments } from "../../record/audit/retention.js";
import { SegmentWriter } from "../../record/audit/segment-writer.js";
import { createRestMaker, createSalt } from "../../record/audit/to-rest.js";
import { openBlobs } from "../../store/blobs.js";
import { currentProcess, fromIdentity } from "../../store/process-identity.js";
import { privateDirectory } from "../../store/state-dir.js";
import type { RuntimeAuditOptions } from "./runtime-audit.js";
import { createIsAlive, openLocation } from "./audit-location.js";
import { messageOf } from "../../contract/message-of.js";
import type { JournalEntry } from "../../contract/ports/journal.js";
import { findUnsettled } from "../../record/audit/segment-files.js";
import { settleAbandoned } from "../../record/audit/settle.js";
import type { LazyState } from "../state/lazy-state.js";

export interface OpenedAudit {
  readonly dir: string;
  readonly recorder: AuditRecorder;
  readonly log: OpenedAuditLog;
  /** Record the end of calls whose processes died. */
  settle(): Promise<void>;
  purge(request: PurgeRequest): Promise<Purged>;
  close(): Promise<void>;
}

const segmentBytes = 8 * 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;

/** Assemble the log; nothing is written yet. */
export function openAudit(options: RuntimeAuditOptions): OpenedAudit {
  const { config, clock, events } = options;
  const place = openLocation(options);
  const { dir } = place;
  const self = currentProcess();
  const isAlive = createIsAlive(self, options);
  const strict = config.durability === "strict";
  const asides = createAsides(dir);
  const recorder = new AuditRecorder({
    open: () => {
      place.make();
      return new SegmentWriter({
        dir,
        owner: fromIdentity(self),
        isAlive,
        segmentBytes,
        now: clock.now,
        onRotated,
      });
    },
    rests: createRestMaker({
      redact: options.redact,
      aside: () => asides.make(recorder.writer().segment),
      keepResults: config.audit.keepResults,
      salt: createSalt(),
      durable: strict,
    }),
    strict,
    running: options.running,
    now: clock.now,
    onFault: (message) => events.emit("AUDIT_FAULT", { message }),
    onRestored: (counts) => events.emit("AUDIT_RESTORED", counts),
    onAlert: (alert) => events.emit("AUDIT_ALERT", alert),
  });
  const coverAll = async (): Promise<AuditHead> => {
    const head = recorder.writer().coverAll();
    await recorder.flush();
    return head;
  };
  const settle = createSettle({ options, dir, isAlive, owner: fromIdentity(self), recorder });
  const log = createAuditLog({
    dir,
    isAlive,
    settle,
    asideOf: asides.find,
    coverAll,
    alerts: () => recorder.alerts(),
  });
  const retention = {
    dir,
    isAlive,
    now: clock.now,
    maxAgeMs: config.audit.maxAgeDays * dayMs,
    maxBytes: config.audit.maxBytes,
  };
  const trim = async (): Promise<void> => {
    if (recorder.isOpen && recorder.fault === undefined) await dropOldSegments(recorder.writer(), retention);
  };
  // A server may run for months: old records are dropped after each full segment, not only at the end.
  let trimming: Promise<void> = Promise.resolve();
  function onRotated(): void {
    trimming = trimming
      .then(() => nextTurn())
      .then(trim)
      .catch((error: unknown) =>
        events.emit("AUDIT_FAULT", { message: `Cannot delete old records: ${String(error)}` }),
      );
  }
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await trimming;
    await trim();
    await recorder.close();
    place.remove();
  };
  return {
    dir,
    recorder,
    log,
    settle,
    async purge(request) {
      await recorder.flush();
      const purged = await purgeLog({ dir, writer: recorder.writer(), now: clock.now }, request);
      log.records.forget();
      return purged;
    },
    close: () => (closing ??= close()),
  };
}

/** The stores of large contents, one per segment, so that both are deleted together. */
function createAsides(dir: string) {
  const known = new Map<number, BlobStore>();
  const open = (segment: number): BlobStore => {
    privateDirectory(join(dir, "contents"));
    const store = known.get(segment) ?? openBlobs(asideDir(dir, segment), randomUUID);
    known.set(segment, store);
    return store;
  };
  return {
    make: open,
    find: (segment: number): BlobStore | undefined =>
      existsSync(asideDir(dir, segment)) ? open(segment) : undefined,
  };
}

interface SettleDeps {
  readonly options: RuntimeAuditOptions;
  readonly dir: string;
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly recorder: AuditRecorder;
}

/** Close the segments of dead processes; a failure is reported as an event and does not stop readers. */
function createSettle(parts: SettleDeps): () => Promise<void> {
  const { options, dir, isAlive, recorder } = parts;
  let settling: Promise<void> | undefined;
  const settle = async (): Promise<void> => {
    try {
      await settleAbandoned({
        ...parts,
        writer: () => recorder.writer(),
        effectsOf: (start) => effectsOf(options.state, start),
      });
    } catch (cause) {
      const message = `Cannot close interrupted calls in the log: ${messageOf(cause)}`;
      options.events.emit("AUDIT_FAULT", { message });
    }
  };
  return () => {
    if (settling !== undefined) return settling;
    if (findUnsettled({ dir, isAlive }).length === 0) return Promise.resolve();
    settling = settle().finally(() => (settling = undefined));
    return settling;
  };
}

/** The journal knows the files that tools changed themselves; other effects of a command are unknown. */
async function effectsOf(state: LazyState, { callId }: AuditStart): Promise<InterruptedEffects> {
  const note = "Only changes of files that Tenon itself made are known; a command may have done more.";
  if (!state.exists()) return { files: [], note };
  try {
    const { journal } = await state.open();
    const entries = [...(await journal.select({ callId })), ...(await journal.unfinished())];
    // Not what another call committed of it.
    const own = entries.filter(({ origin }) => origin.callId === callId);
    return { files: own.flatMap(filesOf), note };
  } catch (cause) {
    return { files: [], note: `Cannot read the journal: ${messageOf(cause)}` };
  }
}

function filesOf({ changes }: JournalEntry): InterruptedEffects["files"] {
  return changes
    .filter(({ implied }) => !implied)
    .map(({ op, step }) => ({ op, path: step.kind === "move" ? step.to : step.path }));
}
