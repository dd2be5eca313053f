import type { Explained } from "../../call/explain.js";
import type { AuditLog, AuditRecord } from "../../contract/ports/audit.js";
import type { Policy } from "../../policy/create-policy.js";
import type { PolicyRule } from "../../policy/policy-rule.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";
import type { Session } from "../sessions/session.js";

/** Which past calls are judged, and under which rules. */
export interface SimulateOptions {
  /** Tried before all other rules. @default none: the rules as they are now */
  readonly rules?: readonly PolicyRule[] | undefined;
  /** Only calls since this time. */
  readonly since?: number | undefined;
  /** At most so many calls, newest first. @default 10000 */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A past call that would be decided differently. */
export interface SimulatedChange {
  readonly tool: string;
  readonly arguments: unknown;
  readonly agent: string;
  readonly from: SimulatedDecision;
  readonly to: SimulatedDecision;
  readonly rule: string;
  readonly reason: string;
  /** How many calls were the same. */
  readonly calls: number;
  readonly lastCallId: string;
  /** Paths that its command changed, and that would not be committed by themselves. */
  readonly paths?: readonly string[];
}

/** What the policy would decide. */
export type SimulatedDecision = "allow" | "ask" | "deny";

/** What other rules would have decided about past calls. */
export interface Simulation {
  /** Calls that were looked at. */
  readonly calls: number;
  /** How many of them would be decided differently. */
  readonly changed: number;
  /** Decisions under the tried rules. */
  readonly allow: number;
  readonly ask: number;
  readonly deny: number;
  readonly changes: readonly SimulatedChange[];
}

export interface SimulationSources {
  readonly audit: AuditLog;
  readonly policy: Policy;
  readonly registry: ToolRegistry;
  createSession(options: { readonly agent: string; readonly userId?: string }): Session;
}

const optionNames: KeysOf<SimulateOptions> = { rules: true, since: true, limit: true, signal: true };
/** Others get their turn after so many. */
const perTurn = 200;

/** Judge past calls under other rules; nothing is run, and the rules in force stay as they are. */
export async function simulateRules(
  sources: SimulationSources,
  options: SimulateOptions = {},
): Promise<Simulation> {
  checkKeys(options, optionNames, "simulate");
  const { rules = [], since, limit = 10_000, signal } = options;
  const policy = sources.policy.withFirst(rules);
  const records = await sources.audit.search({ since, limit });
  const { changes, counts } = await judgeAll({ ...sources, policy, signal }, records);
  const changed = changes.reduce((sum, { calls }) => sum + calls, 0);
  return { calls: records.length, changed, ...counts, changes };
}

interface SimulationResult {
  readonly changes: readonly SimulatedChange[];
  readonly counts: Readonly<Record<SimulatedDecision, number>>;
}

async function judgeAll(
  sources: SimulationSources & { readonly signal: AbortSignal | undefined },
  records: readonly AuditRecord[],
): Promise<SimulationResult> {
  const sessions = new Map<string, Session>();
  const known = new Map<string, SimulatedChange | undefined>();
  const verdicts = new Map<string, SimulatedDecision>();
  const counts = { allow: 0, ask: 0, deny: 0 };
  for (const [at, record] of records.entries()) {
    if (at % perTurn === perTurn - 1) await new Promise((resolve) => setImmediate(resolve));
    sources.signal?.throwIfAborted();
    const from = pastDecision(record);
    // Calls without a decision, or whose arguments are no longer complete, cannot be judged.
    if (from === undefined || typeof record.arguments !== "object" || record.purged !== undefined) continue;
    const { tool, arguments: args, agent, userId } = record;
    const changed = committedPaths(await wholeRecord(sources, record));
    const key = JSON.stringify([tool, args, agent, userId, from, changed]);
    const before = known.get(key);
    const verdict = verdicts.get(key);
    if (verdict !== undefined) {
      counts[verdict]++;
      if (before !== undefined) known.set(key, { ...before, calls: before.calls + 1 });
      continue;
    }
    const who = JSON.stringify([agent, userId]);
    const session =
      sessions.get(who) ?? sources.createSession({ agent, ...(userId !== undefined && { userId }) });
    sessions.set(who, session);
    const explained = await session.explainUnder(
      sources.policy,
      { name: tool, arguments: args },
      { changes: changed },
    );
    const { to, rule, reason, paths } = withChanges(explained);
    verdicts.set(key, to);
    counts[to]++;
    const change = {
      tool,
      arguments: args,
      agent,
      from,
      to,
      rule,
      reason,
      calls: 1,
      lastCallId: record.callId,
      ...(paths.length > 0 && { paths }),
    };
    known.set(key, from === to ? undefined : change);
  }
  return { counts, changes: [...known.values()].filter((change) => change !== undefined) };
}

/** A long result of a command is stored next to the log. */
async function wholeRecord(
  { registry, audit }: SimulationSources,
  record: AuditRecord,
): Promise<AuditRecord> {
  const isAside = record.result === undefined && record.resultDigest !== undefined;
  if (!isAside || registry.get(record.tool)?.shellLine === undefined) return record;
  return (await audit.get(record.seq)) ?? record;
}

/** What a command changed and committed, as its result lists it. */
function committedPaths({ result }: AuditRecord): readonly string[] {
  const { committed, changes, heldBack } = Object(result) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(changes) || (committed !== "all" && committed !== "part")) return [];
  const held = new Set(pathsIn(heldBack));
  return pathsIn(changes).filter((path) => !held.has(path));
}

function pathsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const { path } = Object(item) as { readonly path?: unknown };
    return typeof path === "string" ? [path.replace(/\/$/, "")] : [];
  });
}

/** The strictest decision on the call and on what it changed. */
function withChanges({ decision, rule, reason, changes = [] }: Explained): {
  readonly to: SimulatedDecision;
  readonly rule: string;
  readonly reason: string;
  readonly paths: readonly string[];
} {
  const [worst] = changes.toSorted((one, other) => strictness[other.decision] - strictness[one.decision]);
  if (worst === undefined || strictness[worst.decision] <= strictness[decision])
    return { to: decision, rule, reason, paths: [] };
  const paths = changes.filter((change) => change.decision === worst.decision).map(({ path }) => path);
  const verb = worst.decision === "deny" ? "denies changing" : "asks before changing";
  return { to: worst.decision, rule: worst.rule, reason: `the rule ${verb} ${paths.join(", ")}`, paths };
}

const strictness = { allow: 0, ask: 1, deny: 2 };

/** What was decided then; a refusal by a guard counts as a denial. */
function pastDecision({ decision, outcome }: AuditRecord): SimulatedDecision | undefined {
  const refused = outcome === "denied" && decision?.behavior !== "ask";
  return refused ? "deny" : decision?.behavior;
}
