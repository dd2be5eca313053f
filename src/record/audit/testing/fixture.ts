import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { CallRecord } from "../../../contract/ports/recorder.js";
import { createAuditLog, type OpenedAuditLog } from "../audit-log.js";
import { AuditRecorder } from "../audit-recorder.js";
import { SegmentWriter } from "../segment-writer.js";
import { openRecorder, toRecord } from "./records.js";

const dirs: string[] = [];

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A fresh directory for a log; it is removed after the test. */
export function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "tenon-audit-"));
  dirs.push(dir);
  return dir;
}

/** Write records and close the log. */
export async function fill(dir: string, count: number, members: Partial<CallRecord> = {}): Promise<void> {
  const recorder = openRecorder(dir);
  for (let at = 0; at < count; at++) await recorder.record(toRecord(`call_${at}`, members));
  await recorder.close();
}

/** A log that a test reads. */
export function readLog(dir: string): OpenedAuditLog {
  return createAuditLog({
    dir,
    isAlive: () => false,
    asideOf: () => undefined,
    coverAll: async () => {
      const writer = newWriter(dir);
      const head = writer.coverAll();
      await writer.close();
      return head;
    },
    settle: async () => {},
    alerts: () => [],
  });
}

export function newWriter(dir: string, segmentBytes = 1 << 20): SegmentWriter {
  return new SegmentWriter({ dir, owner: "test", isAlive: () => false, segmentBytes, now: () => 1 });
}

export { AuditRecorder, openRecorder, toRecord };
