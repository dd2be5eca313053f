import type { ToolContext } from "../../contract/context.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { SessionEnv } from "../../contract/ports/env.js";

/** The parts of a tool context that a test provides. */
export interface TestContextOptions {
  readonly clock?: Clock;
  /** A port, or the variables of a plain one. */
  readonly env?: SessionEnv | Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Ports and values that replace the defaults. */
  readonly overrides?: Partial<ToolContext>;
}

/** A context with a real clock and a plain environment; using a port that the test did not provide throws. */
export function createTestContext(options: TestContextOptions = {}): ToolContext {
  return {
    callId: "call-1",
    sessionId: "session-1",
    agent: "tester",
    signal: options.signal ?? new AbortController().signal,
    settings: {},
    files: unavailable("files"),
    seen: unavailable("seen"),
    processes: unavailable("processes"),
    code: unavailable("code"),
    outputs: unavailable("outputs"),
    http: unavailable("http"),
    store: unavailable("store"),
    interact: unavailable("interact"),
    tools: unavailable("tools"),
    clock: options.clock ?? systemClock(),
    env: toSessionEnv(options.env ?? {}),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    emit: ignore,
    call: () => Promise.reject(new Error("ctx.call is not available in this test")),
    ...options.overrides,
  };
}

/** A clock that stands still until it is moved; sleepers wake when their time has come. */
export function createTestClock(start = 0): Clock & { advance(ms: number): void } {
  let time = start;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => time,
    monotonic: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const sleeper = { at: time + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      }),
    advance(ms) {
      time += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > time) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

function unavailable<Name extends keyof ToolContext>(name: Name): ToolContext[Name] {
  return new Proxy<object>(
    {},
    {
      get(_target, member) {
        throw new Error(`ctx.${name}.${String(member)} is not available in this test`);
      },
    },
  ) as ToolContext[Name];
}

function systemClock(): Clock {
  return {
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const stop = () => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener("abort", stop);
          resolve();
        }, ms);
        signal?.addEventListener("abort", stop, { once: true });
      }),
  };
}

function toSessionEnv(env: SessionEnv | Readonly<Record<string, string>>): SessionEnv {
  if (typeof env["entries"] === "function") return env as SessionEnv;
  const values = new Map(Object.entries(env as Readonly<Record<string, string>>));
  return {
    get: (key) => values.get(key) ?? null,
    set(key, value) {
      const previous = values.get(key) ?? null;
      values.set(key, value);
      return previous;
    },
    entries: () => values,
  };
}

function ignore(): void {}
