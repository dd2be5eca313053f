import { hash } from "node:crypto";
import { ToolCancelledError, ToolUnavailableError, type ToolError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { messageOf } from "../contract/message-of.js";
import type { Lock } from "../scheduler/locks.js";
import { adviseOn, type LoopAdvice } from "./advise-on.js";
import type { Call, Outcome, ResolvedCall, ValidatedCall } from "./call.js";
import { lookAt } from "./look-at.js";

/** When a failing call counts as a loop. */
export interface LoopLimits {
  readonly adviseAfter: number;
  readonly refuseAfter: number;
  readonly windowMs: number;
}

/** Equal failures of one call, one after the other. */
interface Streak {
  readonly entry: Call["entry"];
  readonly signature: string;
  /** What the call touches; what changes that ends the streak. */
  readonly locks: readonly Lock[];
  /** The tool itself ran and failed for good: only then is anything gained by not running it again. */
  readonly costly: boolean;
  readonly firstAt: number;
  /** What stood at its paths when it failed so often that it is refused. */
  sight?: string | undefined;
  count: number;
  lastAt: number;
  lastMonotonic: number;
}

const mostStreaks = 100;
const mostSessions = 1000;

/**
 * Notices a call that fails the same way again and again. Its error then says so and what else could be done;
 * much later it is refused, until something changes or time has passed. Successes are never touched.
 */
export class LoopGuard {
  readonly #limits: LoopLimits;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Map<string, Streak>>();

  constructor(limits: LoopLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether there is anything to compare with; most of the time there is not. */
  get idle(): boolean {
    return this.#sessions.size === 0;
  }

  /** Refuse a call that has just failed too often, where nothing has changed since. */
  refuse(call: ValidatedCall): void {
    const streak = this.#sessions.get(call.session.id)?.get(keyOf(call));
    if (streak === undefined || !streak.costly || streak.count < this.#limits.refuseAfter) return;
    // Somebody else, outside of Tenon, may have changed what the call waits for.
    if (streak.sight !== sightOf(call)) return;
    if (streak.entry !== call.entry || this.#clock.now() - streak.lastAt > this.#limits.windowMs) return;
    const { hint, details } = adviseOn(call, undefined, streak);
    throw new ToolUnavailableError(
      `This call of "${call.entry.name}" failed ${streak.count} times in the same way, and nothing has changed since.`,
      { code: "LOOP_DETECTED", toolName: call.entry.name, retryable: false, hint, details },
    );
  }

  /** A call failed; tells what to say about it beyond its own error. */
  failed(call: Call, error: ToolError): LoopAdvice | undefined {
    if (error instanceof ToolCancelledError || isOwn(error)) return undefined;
    const streaks = this.#streaksOf(call.session.id);
    const key = keyOf(call);
    const known = streaks.get(key);
    const signature = signatureOf(error);
    const now = this.#clock.now();
    const same =
      known !== undefined &&
      known.signature === signature &&
      known.entry === call.entry &&
      now - known.lastAt <= this.#limits.windowMs;
    const streak = same ? known : this.#begin(call, error, signature);
    // Calls that were made side by side did not know of each other's failure: together they are one try.
    if (!same || call.startedMonotonic >= streak.lastMonotonic) streak.count++;
    streak.lastAt = now;
    streak.lastMonotonic = this.#clock.monotonic();
    if (streak.costly && streak.count >= this.#limits.refuseAfter) streak.sight = sightOf(call);
    streaks.delete(key);
    streaks.set(key, streak);
    dropOldest(streaks, mostStreaks);
    return streak.count < this.#limits.adviseAfter ? undefined : adviseOn(call, error, streak);
  }

  /** A call succeeded: it is no longer failing, and what it changed may let others succeed. */
  succeeded(call: Call): void {
    const own = this.#sessions.get(call.session.id);
    if (own?.delete(keyOf(call)) === true && own.size === 0) this.#sessions.delete(call.session.id);
    const changes = call.settings?.annotations.readOnly !== true;
    if (!changes) return;
    const writes = call.locks.filter(({ write, partial }) => write && partial !== true);
    for (const [sessionId, streaks] of this.#sessions) {
      for (const [key, { locks }] of streaks) {
        const unknown = sessionId === call.session.id && (writes.length === 0 || locks.length === 0);
        if (unknown || touches(writes, locks)) streaks.delete(key);
      }
      if (streaks.size === 0) this.#sessions.delete(sessionId);
    }
  }

  #begin(call: Call, error: ToolError, signature: string): Streak {
    const now = this.#clock.now();
    return {
      entry: call.entry,
      signature,
      locks: call.locks,
      costly: call.started && !error.retryable && !isDenial(error),
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
    dropOldest(this.#sessions, mostSessions);
    return streaks;
  }
}

/** Tell the guard how a call ended; an error that came again and again gets advice. */
export function watchLoops(outcome: Outcome, guard: LoopGuard): Outcome {
  const { call, error } = outcome;
  if (error === undefined) {
    if (!guard.idle) guard.succeeded(call);
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

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

const shortChars = 200;

function keyOf(call: Call): string {
  const input = call.plainInput ?? (call.plain.ok ? call.plain.value : undefined);
  const text = JSON.stringify(input) ?? "";
  return `${call.entry?.name ?? call.toolName}\0${text.length > shortChars ? hash("sha1", text) : text}`;
}

/** What stands at the paths that the call names. */
function sightOf(call: Call): string {
  const paths = [...call.reads, ...call.writes].flatMap((resource) =>
    "path" in resource ? resource.path : [],
  );
  return paths.map((path) => lookAt(call as ResolvedCall, path)?.identity ?? "").join("\0");
}

/** Numbers in a message (times, counts) may differ though it says the same. */
function signatureOf(error: ToolError): string {
  return `${error.code}\0${messageOf(error).slice(0, 2000).replaceAll(/\d+/g, "#")}`;
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
