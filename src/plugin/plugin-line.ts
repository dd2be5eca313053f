import type { ToolContext } from "../contract/context.js";
import { ToolExecutionError, ToolUnavailableError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { Upstream } from "../contract/ports/upstream.js";
import { EnvMemory } from "./env-memory.js";
import { WishServer, type WishServerOptions } from "./serve-wishes.js";
import { fromWireError } from "./wire-error.js";
import {
  metaKey,
  methods,
  type Answer,
  type AskToolParams,
  type CallAnswer,
  type CallMeta,
  type HookParams,
  type PluginManifest,
} from "./wire.js";

export interface LineOptions extends WishServerOptions {
  /** It goes on with a call that was stopped: its process must end. */
  readonly onStuck: (line: PluginLine, reason: string) => void;
  /** How long a stopped call has to end before its process is ended. @default 5000 */
  readonly graceMs?: number | undefined;
}

/** The connection to one process of a plugin, and the calls that run there. */
export class PluginLine {
  readonly manifest: PluginManifest;
  readonly #upstream: Upstream;
  readonly #wishes: WishServer;
  readonly #options: LineOptions;
  readonly #env = new EnvMemory();
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #gone: string | undefined;

  constructor(upstream: Upstream, manifest: PluginManifest, options: LineOptions) {
    this.#upstream = upstream;
    this.manifest = manifest;
    this.#options = options;
    this.#wishes = new WishServer(upstream, options);
  }

  get pid(): number | undefined {
    return this.#upstream.pid;
  }

  /** Why nothing can be sent any more, once that is so. */
  get gone(): string | undefined {
    return this.#gone;
  }

  /** The process is gone: what comes from now on is refused. */
  lose(reason: string): void {
    this.#gone ??= reason;
  }

  /** Run a tool there. It is told to stop when the call is, and its answer is waited for all the same. */
  async call(tool: string, input: unknown, ctx: ToolContext): Promise<CallAnswer> {
    return this.#within(ctx, async (meta) => {
      const giveUp = new AbortController();
      const stopWatching = this.#watch(meta.key, ctx.signal, giveUp);
      try {
        const call = { signal: giveUp.signal, meta: { [metaKey]: meta } };
        const result = await this.#sent(() => this.#upstream.callTool(tool, input, call));
        const answer = result.meta?.[metaKey] as CallAnswer | undefined;
        if (answer === undefined)
          throw new ToolExecutionError(`"${tool}" gave no answer that Tenon can read.`);
        this.#wishes.grant(answer.wishes);
        return answer;
      } finally {
        stopWatching();
      }
    });
  }

  /** Ask a tool something about a call before it runs, or about itself. */
  async ask(params: Omit<AskToolParams, "meta">, ctx?: ToolContext): Promise<unknown> {
    if (ctx === undefined) return this.#request(methods.tool, { ...params });
    return this.#within(ctx, (meta) => this.#request(methods.tool, { ...params, meta }, ctx.signal));
  }

  hook(params: HookParams, signal?: AbortSignal): Promise<unknown> {
    return this.#request(methods.hook, { ...params }, signal);
  }

  /** Wait until no call runs here, at most so long. */
  async idle(graceMs: number): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Let the plugin clean up, then end its process and all that it started. */
  async close(reason: string): Promise<void> {
    const stuck = this.#gone !== undefined;
    this.#gone ??= reason;
    if (!stuck) await withLimit(this.#upstream.request(methods.close, {}), 2000);
    await this.#upstream.close();
  }

  async #within<T>(ctx: ToolContext, run: (meta: CallMeta) => Promise<T>): Promise<T> {
    const key = this.#wishes.open(ctx);
    this.#inFlight++;
    try {
      return await run(this.#metaOf(ctx, key));
    } finally {
      this.#wishes.close(key);
      if (--this.#inFlight === 0) this.#onIdle?.();
    }
  }

  #metaOf(ctx: ToolContext, key: string): CallMeta {
    const { callId, sessionId, taskId, iterationId, agent, userId, allowedPaths, maxTextChars, settings } =
      ctx;
    const env = this.#env.news(sessionId, ctx.env);
    const client = ctx.client?.can;
    return {
      key,
      callId,
      sessionId,
      taskId,
      iterationId,
      agent,
      userId,
      allowedPaths,
      maxTextChars,
      settings,
      ...(env !== undefined && { env }),
      ...(client !== undefined && { client }),
    };
  }

  /**
   * Tell the process when a call must stop. One that goes on could use up the machine with nobody waiting for
   * it, and nothing but the end of its process stops it.
   */
  #watch(key: string, signal: AbortSignal, giveUp: AbortController): () => void {
    let timer: NodeJS.Timeout | undefined;
    const { graceMs = 5000 } = this.#options;
    const onAbort = (): void => {
      this.#upstream.request(methods.cancel, { key }).catch(() => undefined);
      timer = setTimeout(() => {
        this.#options.onStuck(this, `a call that was stopped did not end within ${graceMs} ms`);
        giveUp.abort(signal.reason);
      }, graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    return () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  }

  async #request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const answer = (await this.#sent(() => this.#upstream.request(method, params, signal), signal)) as Answer;
    if (answer.ok) return answer.value;
    throw fromWireError(answer.error);
  }

  async #sent<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#gone !== undefined) throw this.unavailable();
    try {
      return await send();
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw this.unavailable(messageOf(error));
    }
  }

  /** The error of a call that the process can no longer answer. */
  unavailable(why = this.#gone): ToolUnavailableError {
    const { name } = this.manifest;
    return new ToolUnavailableError(`The plugin "${name}" cannot answer: ${why ?? "its process is gone"}.`, {
      code: "PLUGIN_LOST",
      hint: 'Call again in a moment: its process is started anew. "tenon plugins list" shows its state.',
      details: { plugin: name },
    });
  }
}

/** `undefined` where it fails or takes too long. */
async function withLimit<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
