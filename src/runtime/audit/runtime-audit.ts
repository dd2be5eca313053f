import type { RuntimeBase } from "../state/runtime-base.js";
import { notRecorded } from "../../call/record.js";
import type { ToolError } from "../../contract/errors.js";
import type { AuditLog } from "../../contract/ports/audit.js";
import type { Recorder } from "../../contract/ports/recorder.js";
import type { PurgeRequest, Purged } from "../../record/audit/purge.js";
import { hasUnsettled } from "./audit-location.js";
import type { OpenedAudit } from "./open-audit.js";

export interface RuntimeAuditOptions extends RuntimeBase {
  readonly running: { readonly isQuiet: boolean };
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
    (opening ??= import("./open-audit.js").then(({ openAudit }) => (opened = openAudit(options))));
  const log = async (): Promise<AuditLog> => (await open()).log;
  const recorder: Recorder = {
    name: "audit",
    start: (start) =>
      opened === undefined
        ? open().then(({ recorder: own }) => own.start(start))
        : opened.recorder.start(start),
    record: (record) =>
      opened === undefined
        ? open().then(({ recorder: own }) => own.record(record))
        : opened.recorder.record(record),
    close: async () => (await opening)?.close(),
  };
  return {
    recorders: options.config.audit.enabled ? [recorder] : [],
    refuseChanges: () => refusalOf(opened),
    hasUnsettled: () => options.config.audit.enabled && hasUnsettled(options),
    settle: async () => {
      if (options.config.audit.enabled) await (await open()).settle();
    },
    close: async () => (await opening)?.close(),
    log: {
      search: async (query) => (await log()).search(query),
      get: async (id) => (await log()).get(id),
      started: async (callId) => (await log()).started?.(callId),
      head: async () => (await log()).head(),
      verify: async (head) => (await log()).verify(head),
      async *export(query) {
        yield* (await log()).export(query);
      },
      alerts: () => opened?.log.alerts() ?? [],
      pastAlerts: async (query) => (await log()).pastAlerts?.(query) ?? [],
      fault: () => opened?.recorder.fault,
      purge: async (request) => (await open()).purge(request),
      dir: async () => (await open()).dir,
    },
  };
}

/** Checked before a person is asked to approve a call that could not run. */
function refusalOf(opened: OpenedAudit | undefined): ToolError | undefined {
  if (opened?.recorder.fault === undefined || opened.recorder.retry()) return undefined;
  return notRecorded(new Error(opened.recorder.fault));
}
