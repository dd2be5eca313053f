import type { ToolEnvelope } from "../../contract/call.js";
import type { AuditRecord } from "../../contract/ports/audit.js";
import type { Answer, InteractBackend } from "../../contract/ports/interact.js";
import type { ReplayPlaces } from "./compare-ends.js";
import type { ReplayDeps, ReplayStep } from "./replay-task.js";
import type { Session } from "../sessions/session.js";

/** A Tenon on the copy that answers for the person as the record says. */
export interface ReplayTenon {
  /** Why a call is not run again. */
  reasonToTake(record: AuditRecord): Pick<ReplayStep, "verdict" | "reason"> | undefined;
  run(record: AuditRecord, signal: AbortSignal | undefined): Promise<ToolEnvelope>;
  close(): Promise<void>;
}

/** Open it with the same settings, tools and rules, which then mean the copy. */
export function openReplayTenon(
  parts: ReplayDeps,
  places: ReplayPlaces & { readonly stateDir: string; readonly live: boolean },
): ReplayTenon {
  const current: { record?: AuditRecord } = {};
  const config = moved(parts.config, places);
  const { live } = places;
  const tenon = parts.createTenon({
    workspace: places.copy,
    loaded: {
      config: {
        ...config,
        workspaceDir: places.copy,
        stateDir: places.stateDir,
        database: "sqlite",
        durability: "default",
        audit: { ...config.audit, enabled: false },
        mcpServers: live ? config.mcpServers : {},
      },
      rules: moved(parts.rules, places),
      sources: [],
      warnings: [],
    },
    env: parts.env,
    interact: answerAsRecorded(current),
    jobs: false,
  });
  for (const tool of parts.registry.list()) if (!tenon.registry.has(tool.name)) tenon.register(tool);
  const sessions = new Map<string, Session>();
  const sessionOf = ({ sessionId, agent, userId, taskId }: AuditRecord): Session => {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known;
    const session = tenon.createSession({
      id: sessionId,
      agent,
      ...(userId !== undefined && { userId }),
      ...(taskId !== undefined && { taskId }),
    });
    sessions.set(sessionId, session);
    return session;
  };
  return {
    reasonToTake(record) {
      const tool = tenon.registry.get(record.tool);
      // A name that is unknown now may well have been unknown then.
      if (tool === undefined) return undefined;
      if (tool.category === "interaction" && record.outcome === "success")
        return { verdict: "skipped", reason: "a person answered it" };
      if (!live && (tool.annotations?.openWorld === true || tool.category === "network"))
        return { verdict: "skipped", reason: "it reaches out of this machine" };
      return undefined;
    },
    async run(record, signal) {
      current.record = record;
      const { workspace, copy } = places;
      return sessionOf(record).call({
        name: record.tool,
        arguments: moved(record.arguments, { workspace, copy }),
        ...(record.taskId !== undefined && { taskId: record.taskId }),
        ...(signal !== undefined && { signal }),
      });
    },
    close: () => tenon.close({ graceMs: 1000 }),
  };
}

/** Plain data in which every path of the workspace is one of the copy. */
function moved<T>(value: T, { workspace, copy }: ReplayPlaces): T {
  if (typeof value === "string") return movedText(value, { workspace, copy }) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => moved(item, { workspace, copy })) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, moved(item, { workspace, copy })]);
  const map = Object.fromEntries(entries) as T;
  return Object.getPrototypeOf(value) === null ? Object.assign(Object.create(null) as T & object, map) : map;
}

/** Also where nothing follows the path: `cd /work && make clean` must not leave the copy. */
function movedText(text: string, { workspace, copy }: ReplayPlaces): string {
  const [first = "", ...rest] = text.split(workspace);
  // `/work-old` and `/work.bak` are others.
  const isOther = (after: string): boolean => /^(?:[\w-]|\.\w)/.test(after);
  return rest.reduce((moved, after) => moved + (isOther(after) ? workspace : copy) + after, first);
}

/** Consent as it was given then; a question inside a larger tool has no record of its answer. */
function answerAsRecorded(current: { readonly record?: AuditRecord }): InteractBackend {
  return {
    name: "replay",
    available: () => true,
    ask: async (): Promise<Answer> => {
      throw new Error("The answer to a question within a call is not on record.");
    },
    approve: async () =>
      current.record?.outcome === "denied"
        ? { verdict: "no", ...recordedReason(current.record) }
        : { verdict: "once" },
  };
}

function recordedReason({ error }: AuditRecord): { reason?: string } {
  const found = /the person (?:said no|declined): (.*)$/s.exec(error?.message ?? "");
  return found?.[1] === undefined ? {} : { reason: found[1] };
}
