import type {
  AuditAlert,
  AuditHead,
  AuditLog,
  AuditQuery,
  AuditRecord,
  AuditStart,
} from "../../contract/ports/audit.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import { createAlertWatch } from "./alerts.js";
import { genesis, linesPerSegment } from "./line.js";
import { createAuditSearch, type AuditSearch } from "./search.js";
import { listSegments } from "./segment-files.js";
import { verifyLog } from "./verify.js";

export interface AuditLogOptions {
  readonly dir: string;
  readonly isAlive: (owner: string) => boolean;
  /** The contents that a segment's records keep aside; `undefined` where there are none. */
  readonly asideOf: (segment: number) => BlobStore | undefined;
  /** Chain in the lines of all processes, on disk; returns the head that covers them. */
  readonly coverAll: () => Promise<AuditHead>;
  /** Write the ends of calls whose processes died, before anybody reads. */
  readonly settle: () => Promise<void>;
  /** What this process has seen. */
  readonly alerts: () => readonly AuditAlert[];
}

/** The log as people query it, with what a purge needs. */
export interface OpenedAuditLog extends AuditLog {
  readonly records: AuditSearch;
}

/** Open the log of a directory for reading. */
export function createAuditLog(options: AuditLogOptions): OpenedAuditLog {
  const { dir } = options;
  const records = createAuditSearch(dir);
  const prepare = async (): Promise<void> => {
    await options.settle();
    await records.prepare();
  };
  return {
    records,
    async search(query = {}) {
      await prepare();
      return (await records.find(query)).map(publicRecord);
    },
    async get(id) {
      await prepare();
      const record = find(records, id);
      return record === undefined ? undefined : withAside(publicRecord(record), options);
    },
    async started(callId) {
      await prepare();
      const start = records.startOf(callId);
      if (start === undefined) return undefined;
      return (await withAside(
        publicRecord(start as unknown as AuditRecord),
        options,
      )) as unknown as AuditStart;
    },
    async head() {
      await options.settle();
      return listSegments(dir).length === 0 ? { seq: 0, hash: genesis } : options.coverAll();
    },
    async verify(head) {
      await options.settle();
      return verifyLog(options, head);
    },
    async *export(query: AuditQuery = {}) {
      await prepare();
      let count = 0;
      for await (const record of records.each(query)) {
        yield JSON.stringify(record);
        if (++count % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async tally(query, buckets) {
      await prepare();
      return records.tally(query, buckets);
    },
    async usage(range, buckets) {
      await prepare();
      return records.usage(range, buckets);
    },
    async groups(by, limit = 200) {
      await prepare();
      return records.groups(by, limit);
    },
    alerts: options.alerts,
    async pastAlerts(query = {}) {
      await prepare();
      const watch = createAlertWatch();
      const newestFirst = await records.find({ limit: 10_000, ...query });
      for (const { error, ...call } of newestFirst.toReversed())
        watch.see({ ...call, errorCode: error?.code });
      return watch.alerts();
    },
  };
}

function find(records: AuditSearch, id: string | number): AuditRecord | undefined {
  if (typeof id === "number") return records.bySeq(id);
  return records.byCallId(id) ?? (/^\d{1,15}$/.test(id) ? records.bySeq(Number(id)) : undefined);
}

/** The salt is only used inside the log. */
function publicRecord(record: AuditRecord): AuditRecord {
  const { salt: _, ...rest } = record as AuditRecord & { salt?: string };
  return rest;
}

async function withAside(record: AuditRecord, { asideOf }: AuditLogOptions): Promise<AuditRecord> {
  const segment = Math.floor(record.seq / linesPerSegment);
  const read = async (sha256: string): Promise<unknown> => {
    // The record may be in the segment after the one that its content was stored with.
    for (const store of [asideOf(segment), asideOf(segment - 1)]) {
      if (store?.has(sha256) === true)
        return JSON.parse(Buffer.from(await store.read(sha256)).toString()) as unknown;
    }
    return undefined;
  };
  const args = record.argumentsDigest && (await read(record.argumentsDigest.sha256));
  const result = record.resultDigest && (await read(record.resultDigest.sha256));
  return {
    ...record,
    ...(args !== undefined && { arguments: args }),
    ...(result !== undefined && { result }),
  };
}
