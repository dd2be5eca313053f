import { ToolDefinitionError, ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { compileName, faultOfName } from "../glob/name-glob.js";

/** A limit on calls. With `tool`, each matching tool has its own count, else all share one; so for `agent`. */
export interface QuotaRule {
  /** A glob on the tool's name. */
  readonly tool?: string | undefined;
  /** A glob on the agent's name. */
  readonly agent?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly perTask?: number | undefined;
  readonly perSession?: number | undefined;
}

export interface QuotaCall {
  readonly toolName: string;
  readonly agent: string;
  readonly sessionId: string;
  /** @default the call is counted for its session */
  readonly taskId?: string | undefined;
}

/** Counts calls against rules. */
export interface Quotas {
  /** Count a call against every matching rule, or throw QUOTA_SPENT and count it nowhere. */
  take(call: QuotaCall): void;
}

interface Counter {
  /** When a call would fit again; `undefined`: now, Infinity: never. */
  freeAt(now: number): number | undefined;
  count(now: number): void;
}

type Scope = "perMinute" | "perTask" | "perSession";

const scopes: readonly Scope[] = ["perMinute", "perTask", "perSession"];
const minuteMs = 60_000;
/** Least recently used counts beyond this are forgotten, so that memory stays bounded however many sessions there are. */
const maxCounters = 10_000;

/** Make quotas of rules. Without rules, `take` does nothing. */
export function createQuotas(rules: readonly QuotaRule[], clock: Pick<Clock, "now">): Quotas {
  for (const rule of rules) checkRule(rule);
  if (rules.length === 0) return { take: () => undefined };
  const compiled = rules.map((rule) => ({ rule, fits: compileRule(rule) }));
  const counters = new Map<string, Counter>();
  return {
    take(call) {
      const now = clock.now();
      const due: Counter[] = [];
      for (const [position, { rule, fits }] of compiled.entries()) {
        if (!fits(call)) continue;
        for (const scope of scopes) {
          const limit = rule[scope];
          if (limit === undefined) continue;
          const counter = recall(counters, keyOf(position, scope, { rule, call }), limit, scope);
          const freeAt = counter.freeAt(now);
          if (freeAt !== undefined) throw spent(call, { scope, limit, freeAt, now });
          due.push(counter);
        }
      }
      for (const counter of due) counter.count(now);
    },
  };
}

function checkRule(rule: QuotaRule): void {
  const refuse = (fault: string): never => {
    throw new ToolDefinitionError(`A quota ${fault}.`, {
      hint: 'Write { tool?: "web_*", agent?: "*", perMinute?: 10, perTask?: 50, perSession?: 200 }.',
    });
  };
  const limits = scopes.map((scope) => rule[scope]).filter((limit) => limit !== undefined);
  if (limits.length === 0) refuse("sets no limit");
  if (limits.some((limit) => !Number.isSafeInteger(limit) || limit < 0)) {
    refuse("has a limit that is not a whole number of at least 0");
  }
  for (const glob of [rule.tool, rule.agent]) {
    if (glob === undefined) continue;
    if (typeof glob !== "string" || glob === "") refuse("has an empty glob");
    const fault = faultOfName(glob);
    if (fault !== undefined) refuse(`has the invalid glob ${JSON.stringify(glob)}: ${fault}`);
  }
}

function compileRule({ tool = "*", agent = "*" }: QuotaRule): (call: QuotaCall) => boolean {
  const isTool = compileName(tool).test;
  const isAgent = compileName(agent).test;
  return (call) => isTool(call.toolName) && isAgent(call.agent);
}

/** JSON keeps the parts apart, whatever characters they hold. */
function keyOf(position: number, scope: Scope, { rule, call }: { rule: QuotaRule; call: QuotaCall }): string {
  return JSON.stringify([
    position,
    scope,
    rule.tool === undefined ? null : call.toolName,
    rule.agent === undefined ? null : call.agent,
    ...(scope === "perMinute" ? [] : scope === "perTask" ? taskOf(call) : [call.sessionId]),
  ]);
}

/** A call without a task is counted for its session. */
function taskOf({ taskId, sessionId }: QuotaCall): readonly (string | null)[] {
  return taskId === undefined ? [null, sessionId] : [taskId];
}

function recall(counters: Map<string, Counter>, key: string, limit: number, scope: Scope): Counter {
  const known = counters.get(key);
  if (known !== undefined) counters.delete(key);
  const counter = known ?? (scope === "perMinute" ? createWindow(limit) : createTotal(limit));
  counters.set(key, counter);
  if (counters.size > maxCounters) {
    const oldest = counters.keys().next();
    if (oldest.done !== true) counters.delete(oldest.value);
  }
  return counter;
}

function createTotal(limit: number): Counter {
  let used = 0;
  return {
    freeAt: () => (used < limit ? undefined : Infinity),
    count: () => void used++,
  };
}

/** A sliding minute: the times of the calls in it, oldest first. */
function createWindow(limit: number): Counter {
  let times: number[] = [];
  let first = 0;
  return {
    freeAt(now) {
      // A clock that was set back must not lock the tool until the old time comes again.
      if ((times.at(-1) ?? 0) > now) times = times.map((time) => Math.min(time, now));
      while (first < times.length && (times[first] as number) <= now - minuteMs) first++;
      if (first > 1024 && first * 2 > times.length) {
        times = times.slice(first);
        first = 0;
      }
      if (times.length - first < limit) return undefined;
      return limit === 0 ? Infinity : (times[first] as number) + minuteMs;
    },
    count: (now) => void times.push(now),
  };
}

interface Spent {
  readonly scope: Scope;
  readonly limit: number;
  readonly freeAt: number;
  readonly now: number;
}

function spent({ toolName }: QuotaCall, { scope, limit, freeAt, now }: Spent): ToolUnavailableError {
  const span = { perMinute: "a minute", perTask: "a task", perSession: "a session" }[scope];
  const never = freeAt === Infinity;
  const within = { perMinute: "", perTask: " within this task", perSession: " within this session" }[scope];
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
      details: { limit, per: scope.slice(3).toLowerCase(), availableAt: never ? null : freeAt },
    },
  );
}
