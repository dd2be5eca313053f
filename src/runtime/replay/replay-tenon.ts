import type { ToolEnvelope } from "../../contract/call.js";
import type { AuditRecord } from "../../contract/ports/audit.js";
import type { Answer, InteractBackend } from "../../contract/ports/interact.js";
import type { ReplayPaths } from "./compare-ends.js";
import type { ReplayDeps, ReplayStep } from "./replay-task.js";
import type { Session } from "../sessions/session.js";

/** A Tenon on the copy that answers approvals as recorded. */
export interface ReplayTenon {
  /** Why a call is not run again. */
  reasonToSkip(record: AuditRecord): Pick<ReplayStep, "verdict" | "reason"> | undefined;
  run(record: AuditRecord, signal: AbortSignal | undefined): Promise<ToolEnvelope>;
  close(): Promise<void>;
}

/** Open it with the same settings, tools and rules, with the paths of the copy. */
export function openReplayTenon(
  parts: ReplayDeps,
  places: ReplayPaths & { readonly stateDir: string; readonly live: boolean },
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
    reasonToSkip(record) {
      const tool = tenon.registry.get(record.tool);
      // A name that is unknown now may well have been unknown then.
      if (tool === undefined) return undefined;
      if (tool.category === "interaction" && record.outcome === "success")
        return { verdict: "skipped", reason: "a person answered it" };
      if (!live && (tool.annotations?.openWorld === true || tool.category === "network"))
        return { verdict: "skipped", reason: "it accesses the network" };
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

/** Plain data with every path of the workspace replaced by that of the copy. */
function moved<T>(value: T, { workspace, copy }: ReplayPaths): T {
  if (typeof value === "string") return movedText(value, { workspace, copy }) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => moved(item, { workspace, copy })) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, moved(item, { workspace, copy })]);
  const map = Object.fromEntries(entries) as T;
  return Object.getPrototypeOf(value) === null ? Object.assign(Object.create(null) as T & object, map) : map;
}

/** Also without a slash after the path: `cd /work && make clean` must not leave the copy. */
function movedText(text: string, { workspace, copy }: ReplayPaths): string {
  const [first = "", ...rest] = text.split(workspace);
  // `/work-old` and `/work.bak` are other folders.
  const isOther = (after: string): boolean => /^(?:[\w-]|\.\w)/.test(after);
  return rest.reduce((moved, after) => moved + (isOther(after) ? workspace : copy) + after, first);
}

/** Approvals as recorded; the answer to a question inside a call is not recorded. */
function answerAsRecorded(current: { readonly record?: AuditRecord }): InteractBackend {
  return {
    name: "replay",
    available: () => true,
    ask: async (): Promise<Answer> => {
      throw new Error("The answer to a question inside a call is not recorded.");
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
