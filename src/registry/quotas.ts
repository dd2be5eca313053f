import { ToolDefinitionError, ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { compileName, faultOfName } from "../glob/name-glob.js";
import { createSlots, createTotal, createWindow, type Counter } from "./call-counters.js";

/** A limit on calls. With `tool`, each matching tool has its own count, else all share one; so for the other globs. */
export interface QuotaRule {
  /** A glob on the tool's name. */
  readonly tool?: string | undefined;
  /** A glob on the agent's name. */
  readonly agent?: string | undefined;
  /** A glob on the user's name; calls of nobody in particular are not counted. */
  readonly user?: string | undefined;
  /** A glob on the MCP endpoint's name; calls that came through none are not counted. */
  readonly endpoint?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly perHour?: number | undefined;
  readonly perDay?: number | undefined;
  readonly perTask?: number | undefined;
  readonly perSession?: number | undefined;
}

/** A call, as quotas count it. */
export interface QuotaCall {
  readonly toolName: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly userId?: string | undefined;
  readonly endpoint?: string | undefined;
  /** @default the call is counted for its session */
  readonly taskId?: string | undefined;
}

/** How much of a limit is used. */
export interface LimitUse {
  readonly per: "minute" | "hour" | "day" | "task" | "session";
  readonly limit: number;
  readonly used: number;
  /** When a call fits again, or the count goes down next; absent where it never does. Unix time in milliseconds. */
  readonly availableAt?: number | undefined;
  /** What is counted; absent where all count together. */
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** Counts calls against rules. */
export interface Quotas {
  /** Count a call against every matching rule, or throw QUOTA_SPENT and count it nowhere. */
  take(call: QuotaCall): void;
  /** The limit in time of which the least is left for somebody; rules for tools count where the tool is named. */
  tightest(caller: Partial<QuotaCall>): LimitUse | undefined;
  /** What is counted now, the fullest first. */
  uses(): readonly LimitUse[];
}

type Scope = "perMinute" | "perHour" | "perDay" | "perTask" | "perSession";

const windows: Readonly<Partial<Record<Scope, number>>> = {
  perMinute: 60_000,
  perHour: 3_600_000,
  perDay: 86_400_000,
};
const scopes: readonly Scope[] = ["perMinute", "perHour", "perDay", "perTask", "perSession"];
/** Least recently used counts beyond this are forgotten, so that memory stays bounded however many sessions there are. */
const maxCounters = 10_000;

interface Kept {
  readonly counter: Counter;
  readonly about: Omit<LimitUse, "used" | "availableAt">;
}

/** Make quotas of rules. Without rules, `take` does nothing. */
export function createQuotas(rules: readonly QuotaRule[], clock: Pick<Clock, "now">): Quotas {
  for (const rule of rules) checkRule(rule);
  if (rules.length === 0) return { take: () => undefined, tightest: () => undefined, uses: () => [] };
  const compiled = rules.map((rule) => ({ rule, fits: compileRule(rule) }));
  const kept = new Map<string, Kept>();
  return {
    take(call) {
      const now = clock.now();
      const due: Counter[] = [];
      for (const [position, { rule, fits }] of compiled.entries()) {
        if (!fits(call)) continue;
        for (const scope of scopes) {
          const limit = rule[scope];
          if (limit === undefined) continue;
          const key = keyOf(position, scope, { rule, call });
          const { counter } = recall(kept, key, () => newKept(scope, { rule, call, limit }));
          const freeAt = counter.freeAt(now);
          if (freeAt !== undefined) throw spent(call, { scope, limit, freeAt, now });
          due.push(counter);
        }
      }
      for (const counter of due) counter.count(now);
    },
    tightest(caller) {
      const call = { toolName: "", agent: "", sessionId: "", ...caller };
      const now = clock.now();
      const uses = compiled.flatMap(({ rule, fits }, position) => {
        const isKnown = (rule.tool === undefined || call.toolName !== "") && rule.agent === undefined;
        if (!isKnown || !fits(call)) return [];
        return timed.flatMap((scope) => {
          const limit = rule[scope];
          if (limit === undefined) return [];
          const key = keyOf(position, scope, { rule, call });
          return [toUse(kept.get(key) ?? newKept(scope, { rule, call, limit }), now)];
        });
      });
      return uses.sort((one, other) => left(one) - left(other))[0];
    },
    uses() {
      const now = clock.now();
      const all = [...kept.values()].map((one) => toUse(one, now)).filter(({ used }) => used > 0);
      return all.sort((one, other) => other.used / other.limit - one.used / one.limit);
    },
  };
}

const timed = ["perMinute", "perHour", "perDay"] as const;

function left({ limit, used }: LimitUse): number {
  return limit - used;
}

function newKept(
  scope: Scope,
  { rule, call, limit }: { readonly rule: QuotaRule; readonly call: QuotaCall; readonly limit: number },
): Kept {
  return {
    counter: counterFor(scope, limit),
    about: {
      per: spanOf(scope),
      limit,
      ...(rule.tool !== undefined && { tool: call.toolName }),
      ...(rule.agent !== undefined && { agent: call.agent }),
      ...(rule.user !== undefined && { user: call.userId }),
      ...(rule.endpoint !== undefined && { endpoint: call.endpoint }),
    },
  };
}

function toUse({ counter, about }: Kept, now: number): LimitUse {
  const availableAt = counter.nextAt(now);
  return { ...about, used: counter.used(now), ...(availableAt !== undefined && { availableAt }) };
}

function checkRule(rule: QuotaRule): void {
  const refuse = (fault: string): never => {
    throw new ToolDefinitionError(`A quota ${fault}.`, {
      hint: 'Write { tool?: "web_*", agent?, user?: "*", endpoint?, perMinute?: 10, perHour?, perDay?, perTask?: 50, perSession?: 200 }.',
    });
  };
  const limits = scopes.map((scope) => rule[scope]).filter((limit) => limit !== undefined);
  if (limits.length === 0) refuse("sets no limit");
  if (limits.some((limit) => !Number.isSafeInteger(limit) || limit < 0)) {
    refuse("has a limit that is not a whole number of at least 0");
  }
  for (const glob of [rule.tool, rule.agent, rule.user, rule.endpoint]) {
    if (glob === undefined) continue;
    if (typeof glob !== "string" || glob === "") refuse("has an empty glob");
    const fault = faultOfName(glob);
    if (fault !== undefined) refuse(`has the invalid glob ${JSON.stringify(glob)}: ${fault}`);
  }
}

function compileRule({ tool = "*", agent = "*", user, endpoint }: QuotaRule): (call: QuotaCall) => boolean {
  const isTool = compileName(tool).test;
  const isAgent = compileName(agent).test;
  const isUser = user === undefined ? undefined : compileName(user).test;
  const isEndpoint = endpoint === undefined ? undefined : compileName(endpoint).test;
  return (call) =>
    isTool(call.toolName) &&
    isAgent(call.agent) &&
    (isUser === undefined || (call.userId !== undefined && isUser(call.userId))) &&
    (isEndpoint === undefined || (call.endpoint !== undefined && isEndpoint(call.endpoint)));
}

/** JSON keeps the parts apart, whatever characters they hold. */
function keyOf(position: number, scope: Scope, { rule, call }: { rule: QuotaRule; call: QuotaCall }): string {
  return JSON.stringify([
    position,
    scope,
    rule.tool === undefined ? null : call.toolName,
    rule.agent === undefined ? null : call.agent,
    rule.user === undefined ? null : call.userId,
    rule.endpoint === undefined ? null : call.endpoint,
    ...(windows[scope] !== undefined ? [] : scope === "perTask" ? taskOf(call) : [call.sessionId]),
  ]);
}

/** A call without a task is counted for its session. */
function taskOf({ taskId, sessionId }: QuotaCall): readonly (string | null)[] {
  return taskId === undefined ? [null, sessionId] : [taskId];
}

function recall(kept: Map<string, Kept>, key: string, make: () => Kept): Kept {
  const known = kept.get(key);
  if (known !== undefined) kept.delete(key);
  const counter = known ?? make();
  kept.set(key, counter);
  if (kept.size > maxCounters) {
    const oldest = kept.keys().next();
    if (oldest.done !== true) kept.delete(oldest.value);
  }
  return counter;
}

interface Spent {
  readonly scope: Scope;
  readonly limit: number;
  readonly freeAt: number;
  readonly now: number;
}

function spent({ toolName }: QuotaCall, { scope, limit, freeAt, now }: Spent): ToolUnavailableError {
  const span = scope === "perHour" ? "an hour" : `a ${spanOf(scope)}`;
  const never = freeAt === Infinity;
  const within = windows[scope] === undefined ? ` within this ${spanOf(scope)}` : "";
  const when = never
    ? `It is not renewed${within}.`
    : `It is available again at ${new Date(freeAt).toISOString()}.`;
  return new ToolUnavailableError(
    `The quota of ${limit} calls ${span} for "${toolName}" is used up. ${when}`,
    {
      code: "QUOTA_SPENT",
      toolName,
      retryable: !never,
      hint: never
        ? "Continue without this tool."
        : `Wait ${Math.ceil((freeAt - now) / 1000)} s, or continue without this tool.`,
      details: { limit, per: spanOf(scope), availableAt: never ? null : freeAt },
    },
  );
}

function counterFor(scope: Scope, limit: number): Counter {
  const windowMs = windows[scope];
  if (windowMs === undefined) return createTotal(limit);
  return scope === "perMinute" ? createWindow(limit, windowMs) : createSlots(limit, windowMs);
}

function spanOf(scope: Scope): LimitUse["per"] {
  return scope.slice(3).toLowerCase() as LimitUse["per"];
}
