import type { ToolContext } from "../contract/context.js";
import { ToolCancelledError, ToolExecutionError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { LogLevel } from "../contract/ports/log.js";
import type { Upstream } from "../contract/ports/upstream.js";
import { openDoor } from "./open-door.js";
import { toWireError } from "./wire-error.js";
import { decode, encode, methods, type Answer, type ServeParams, type Wish } from "./wire.js";

export interface WishServerOptions {
  /** What the plugin logs outside of a call. */
  readonly onLog: (level: LogLevel, message: string, fields: unknown) => void;
}

/** Gives a plugin's process what its running calls want of Tenon, each through the context of its own call. */
export class WishServer {
  readonly #upstream: Upstream;
  readonly #options: WishServerOptions;
  readonly #calls = new Map<string, ToolContext>();
  readonly #asked = new Map<number, AbortController>();
  #lastKey = 0;
  #fetching = false;

  constructor(upstream: Upstream, options: WishServerOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  /** From now on the process can use the doors of this context, under the key that is returned. */
  open(ctx: ToolContext): string {
    const key = String(++this.#lastKey);
    this.#calls.set(key, ctx);
    void this.#fetch();
    return key;
  }

  close(key: string): void {
    this.#calls.delete(key);
  }

  /** Grant what came along with an answer. */
  grant(wishes: unknown): void {
    for (const wish of Array.isArray(wishes) ? (wishes as Wish[]) : []) {
      try {
        this.#grant(wish);
      } catch (error) {
        // A wish that cannot be read is its plugin's fault, and no other call's.
        this.#options.onLog("warn", `A request could not be read: ${messageOf(error)}`, {});
      }
    }
  }

  /** One request waits at the process for wishes, as long as calls run. */
  async #fetch(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    try {
      while (this.#calls.size > 0) {
        const params: ServeParams = { answers: [] };
        const result = await this.#upstream.request(methods.serve, { ...params });
        this.grant((Object(result) as { wishes?: unknown }).wishes);
      }
    } catch {
      // The connection is gone; its own end is told elsewhere, and nobody is left to answer to.
      for (const asked of this.#asked.values()) asked.abort(new ToolCancelledError());
    } finally {
      this.#fetching = false;
    }
  }

  #grant(wish: Wish): void {
    if ("cancel" in wish) this.#asked.get(wish.cancel)?.abort(new ToolCancelledError());
    else if ("note" in wish) this.#note(wish.key, wish.note, decode(wish.args) as unknown[]);
    else void this.#answer(wish);
  }

  #note(key: string, note: string, args: readonly unknown[]): void {
    const [first, second, third] = args;
    const ctx = this.#calls.get(key);
    if (note === "log" && isLevel(first)) {
      if (ctx === undefined) this.#options.onLog(first, String(second), third);
      else ctx.log[first](String(second), Object(third) as Record<string, unknown>);
    } else if (note === "emit") {
      ctx?.emit(typeof first === "string" ? first : (Object(first) as Record<string, never>));
    } else if (note === "env" && ctx !== undefined) {
      try {
        ctx.env.set(String(first), String(second));
      } catch (error) {
        ctx.log.warn(`A variable could not be set: ${(error as Error).message}`);
      }
    }
  }

  async #answer({ id, key, door, args }: Extract<Wish, { id: number }>): Promise<void> {
    const stop = new AbortController();
    const ctx = this.#calls.get(key);
    const onAbort = (): void => stop.abort(ctx?.signal.reason);
    ctx?.signal.addEventListener("abort", onAbort, { once: true });
    this.#asked.set(id, stop);
    let answer: Answer;
    try {
      if (ctx === undefined) throw new ToolExecutionError("The call is over.");
      const request = { door, args: decode(args) as unknown[], signal: stop.signal };
      answer = { ok: true, value: encode(await openDoor(ctx, request)) };
    } catch (error) {
      answer = { ok: false, error: toWireError(error) };
    } finally {
      this.#asked.delete(id);
      ctx?.signal.removeEventListener("abort", onAbort);
    }
    const params: ServeParams = { answers: [{ id, answer }], deliver: true };
    // A process that is gone waits for nothing.
    await this.#upstream.request(methods.serve, { ...params }).catch(() => undefined);
  }
}

function isLevel(value: unknown): value is LogLevel {
  return value === "debug" || value === "info" || value === "warn" || value === "error";
}
