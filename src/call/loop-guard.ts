import { hash } from "node:crypto";
import { ToolCancelledError, ToolUnavailableError, type ToolError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { messageOf } from "../contract/message-of.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { Lock } from "../scheduler/locks.js";
import { adviseOn, type LoopAdvice } from "./advise-on.js";
import type { Outcome } from "./outcome.js";
import type { ReceivedCall } from "./receive.js";
import { statPath } from "./stat-path.js";
import type { ValidatedCall } from "./validate.js";

/** When a failing call counts as a loop. */
export interface LoopLimits {
  readonly adviseAfter: number;
  readonly refuseAfter: number;
  readonly windowMs: number;
}

/** Equal failures of one call in a row. */
interface Streak {
  readonly entry: ToolEntry | undefined;
  readonly signature: string;
  /** What the call touches; a change of it ends the streak. */
  readonly locks: readonly Lock[];
  /** Whether the tool itself ran and its error is not retryable: only then does refusing save anything. */
  readonly costly: boolean;
  readonly firstAt: number;
  /** The identity of the files at its paths when it began to be refused. */
  sight?: string | undefined;
  count: number;
  lastAt: number;
  lastMonotonic: number;
}

const maxStreaks = 100;
const maxSessions = 1000;

/**
 * Notices a call that fails the same way again and again. Its error then says so and what to try instead; much
 * later the call is refused, until something changes or time has passed. Successful calls are not affected.
 */
export class LoopGuard {
  readonly #limits: LoopLimits;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Map<string, Streak>>();

  constructor(limits: LoopLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether there is nothing to compare with, which is so most of the time. A field, since every call reads it. */
  idle = true;

  /** Refuse a call that has just failed too often, where nothing has changed since. */
  refuse(call: ValidatedCall): void {
    const streak = this.#sessions.get(call.state.session.id)?.get(keyOf(call.received));
    if (streak === undefined || !streak.costly || streak.count < this.#limits.refuseAfter) return;
    // Another program may have changed what the call waits for.
    if (streak.sight !== sightOf(call)) return;
    if (streak.entry !== call.entry || this.#clock.now() - streak.lastAt > this.#limits.windowMs) return;
    const { hint, details } = adviseOn(call.received, undefined, streak);
    throw new ToolUnavailableError(
      `This call of "${call.entry.name}" failed ${streak.count} times in the same way, and nothing has changed since.`,
      { code: "LOOP_DETECTED", toolName: call.entry.name, retryable: false, hint, details },
    );
  }

  /** Count a failed call; returns what to add to its error. */
  failed(call: ReceivedCall, error: ToolError): LoopAdvice | undefined {
    if (error instanceof ToolCancelledError || isOwn(error)) return undefined;
    const { state } = call;
    const streaks = this.#streaksOf(state.session.id);
    const key = keyOf(call);
    const known = streaks.get(key);
    // Numbers in a message (times, counts) may differ between equal failures.
    const signature = `${error.code}\0${messageOf(error).slice(0, 2000).replaceAll(/\d+/g, "#")}`;
    const now = this.#clock.now();
    const same =
      known !== undefined &&
      known.signature === signature &&
      known.entry === state.resolved?.entry &&
      now - known.lastAt <= this.#limits.windowMs;
    const streak = same ? known : this.#begin(call, error, signature);
    // Calls made at the same time could not know of each other's failure, so together they count as one attempt.
    if (!same || state.startedMonotonic >= streak.lastMonotonic) streak.count++;
    streak.lastAt = now;
    streak.lastMonotonic = this.#clock.monotonic();
    if (streak.costly && streak.count >= this.#limits.refuseAfter) streak.sight = sightOf(state.validated);
    streaks.delete(key);
    streaks.set(key, streak);
    dropOldest(streaks, maxStreaks);
    return streak.count < this.#limits.adviseAfter ? undefined : adviseOn(call, error, streak);
  }

  /** A call succeeded: the streak is over, and its changes may let other calls succeed. */
  succeeded(call: ReceivedCall): void {
    const { session, resolved, validated } = call.state;
    this.#sessions.get(session.id)?.delete(keyOf(call));
    if (resolved?.settings.annotations.readOnly !== true) {
      const writes = validated?.locks.filter(({ write, partial }) => write && partial !== true) ?? [];
      for (const [sessionId, streaks] of this.#sessions) {
        for (const [key, { locks }] of streaks) {
          const unknown = sessionId === session.id && (writes.length === 0 || locks.length === 0);
          if (unknown || touches(writes, locks)) streaks.delete(key);
        }
      }
    }
    for (const [sessionId, streaks] of this.#sessions) {
      if (streaks.size === 0) this.#sessions.delete(sessionId);
    }
    this.idle = this.#sessions.size === 0;
  }

  #begin({ state }: ReceivedCall, error: ToolError, signature: string): Streak {
    const now = this.#clock.now();
    return {
      entry: state.resolved?.entry,
      signature,
      locks: state.validated?.locks ?? [],
      costly: state.started && !error.retryable && !isDenial(error),
      firstAt: now,
      count: 0,
      lastAt: now,
      lastMonotonic: 0,
    };
  }

  #streaksOf(sessionId: string): Map<string, Streak> {
    const streaks = this.#sessions.get(sessionId) ?? new Map<string, Streak>();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, streaks);
    this.idle = false;
    dropOldest(this.#sessions, maxSessions);
    return streaks;
  }
}

/** Tell the guard how a call ended; an error that occurred again and again gets advice. */
export function watchLoops(outcome: Outcome, guard: LoopGuard): Outcome {
  const { call, error } = outcome;
  if (error === undefined) {
    guard.succeeded(call);
    return outcome;
  }
  const advice = guard.failed(call, error);
  return advice === undefined ? outcome : { ...outcome, advice };
}

function isOwn({ code }: ToolError): boolean {
  return code === "LOOP_DETECTED" || code === "RUNTIME_CLOSED";
}

function isDenial({ name }: ToolError): boolean {
  return name === "ToolPermissionError" || name === "ToolSecurityError";
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}

const shortChars = 200;

function keyOf({ state, toolName, arguments: sent }: ReceivedCall): string {
  const input = state.validated?.plainInput ?? (sent.ok ? sent.value : undefined);
  const text = JSON.stringify(input) ?? "";
  return `${state.resolved?.entry.name ?? toolName}\0${text.length > shortChars ? hash("sha1", text) : text}`;
}

/** The identity of the files at the paths that the call names. */
function sightOf(call: ValidatedCall | undefined): string {
  if (call === undefined) return "";
  const paths = [...call.reads, ...call.writes].flatMap((resource) =>
    "path" in resource ? resource.path : [],
  );
  return paths.map((path) => statPath(call.state, path)?.identity ?? "").join("\0");
}

function touches(writes: readonly Lock[], locks: readonly Lock[]): boolean {
  return writes.some((write) =>
    locks.some(({ space, key }) => {
      if (space !== write.space) return false;
      return key === write.key || (space === "path" && (isBelow(key, write.key) || isBelow(write.key, key)));
    }),
  );
}

function isBelow(path: string, folder: string): boolean {
  return folder === "/" || path.startsWith(`${folder}/`);
}
