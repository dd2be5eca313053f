import type { RuntimeBase } from "../state/runtime-base.js";
import { notRecorded } from "../../call/record.js";
import type { ToolError } from "../../contract/errors.js";
import type { AuditLog, AuditQuery, UsageRange } from "../../contract/ports/audit.js";
import type { Recorder } from "../../contract/ports/recorder.js";
import type { PurgeRequest, Purged } from "../../record/audit/purge.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";
import type { Ownership } from "../../store/ownership.js";
import { hasUnsettled } from "./audit-location.js";
import type { OpenedAudit } from "./open-audit.js";

export interface RuntimeAuditOptions extends RuntimeBase {
  readonly running: { readonly isQuiet: boolean };
  /** Of a worker in a fleet. */
  readonly ownership?: Ownership | undefined;
}

/** The log with the operations of a person. */
export interface TenonAudit extends AuditLog {
  /** Why calls cannot be recorded now; `undefined` if they can. */
  fault(): string | undefined;
  /** Remove contents from the log, such as a secret. */
  purge(request: PurgeRequest): Promise<Purged>;
  /** Where the log is stored. */
  dir(): Promise<string>;
}

/** The log of calls and its recorders. */
export interface RuntimeAudit {
  /** Empty if the configuration disables the log. */
  readonly recorders: readonly Recorder[];
  readonly log: TenonAudit;
  /** Whether a process died and left calls without an end record. */
  hasUnsettled(): boolean;
  /** Record the end of calls whose processes died; a failure is reported as an event. */
  settle(): Promise<void>;
  /** Why changes are refused now: no change is made without a record. */
  readonly refuseChanges: () => ToolError | undefined;
  close(): Promise<void>;
}

/** Prepare the log; the disk is not touched before the first call or query. */
export function createRuntimeAudit(options: RuntimeAuditOptions): RuntimeAudit {
  let opened: OpenedAudit | undefined;
  let opening: Promise<OpenedAudit> | undefined;
  const open = (): Promise<OpenedAudit> =>
    (opening ??= import("./open-audit.js").then(({ openAudit }) => {
      opened = openAudit(options);
      const { recorder: own } = opened;
      recorder.start = own.start.bind(own);
      recorder.record = own.record.bind(own);
      return opened;
    }));
  const log = async (): Promise<AuditLog> => (await open()).log;
  // The first calls open the log; later ones go to its recorder directly.
  const recorder: Recorder = {
    name: "audit",
    start: (start) => open().then(({ recorder: own }) => own.start(start)),
    record: (record) => open().then(({ recorder: own }) => own.record(record)),
    close: async () => (await opening)?.close(),
  };
  return {
    recorders: options.config.audit.enabled ? [recorder] : [],
    // Asked before a person is, who would approve a call that could not run.
    refuseChanges() {
      if (opened?.recorder.fault === undefined || opened.recorder.retry()) return undefined;
      return notRecorded(new Error(opened.recorder.fault));
    },
    hasUnsettled: () => options.config.audit.enabled && hasUnsettled(options),
    settle: async () => {
      if (options.config.audit.enabled) await (await open()).settle();
    },
    close: async () => (await opening)?.close(),
    log: {
      search: async (query) => (await log()).search(checked(query, "audit.search")),
      get: async (id) => (await log()).get(id),
      started: async (callId) => (await log()).started?.(callId),
      head: async () => (await log()).head(),
      verify: async (head) => (await log()).verify(head),
      async *export(query) {
        yield* (await log()).export(checked(query, "audit.export"));
      },
      alerts: () => opened?.log.alerts() ?? [],
      pastAlerts: async (query) => (await log()).pastAlerts?.(checked(query, "audit.pastAlerts")) ?? [],
      tally: async (query, buckets) => (await log()).tally(checked(query, "audit.tally") ?? {}, buckets),
      usage: async (range, buckets) => {
        checkKeys(range, rangeKeys, "audit.usage");
        return (await log()).usage(range, buckets);
      },
      groups: async (by, limit) => (await log()).groups(by, limit),
      fault: () => opened?.recorder.fault,
      purge: async (request) => {
        checkKeys(request, purgeKeys, "audit.purge");
        return (await open()).purge(request);
      },
      dir: async () => (await open()).dir,
    },
  };
}

/** A misspelt filter would find everything. */
function checked(query: AuditQuery | undefined, owner: string): AuditQuery | undefined {
  checkKeys(query, queryKeys, owner);
  return query;
}

const queryKeys: KeysOf<AuditQuery> = {
  since: true,
  until: true,
  tool: true,
  agent: true,
  taskId: true,
  sessionId: true,
  principal: true,
  outcome: true,
  text: true,
  before: true,
  limit: true,
};

const rangeKeys: KeysOf<UsageRange> = { since: true, until: true, tool: true };

const purgeKeys: KeysOf<PurgeRequest> = { texts: true, before: true, sessionId: true, dryRun: true };
