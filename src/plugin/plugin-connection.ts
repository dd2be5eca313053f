import { settlesWithin } from "../contract/system-clock.js";
import type { ToolContext } from "../contract/context.js";
import { ToolExecutionError, ToolUnavailableError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { ProgramChannel } from "../contract/ports/upstream.js";
import type { JsonRpcPeer } from "../wire/json-rpc-peer.js";
import type { PluginRequests } from "./plugin-requests.js";
import { fromWireError } from "./wire-error.js";
import {
  methods,
  type Answer,
  type AskToolParams,
  type CallAnswer,
  type CallMeta,
  type CallParams,
  type HookParams,
  type PluginManifest,
  type WireEnv,
} from "./protocol.js";
import type { SessionEnv } from "../contract/ports/env.js";

export interface PluginConnectionOptions {
  readonly channel: ProgramChannel;
  readonly peer: JsonRpcPeer;
  readonly requests: PluginRequests;
  /** A stopped call goes on: the process must be killed. */
  readonly onStuck: (connection: PluginConnection, reason: string) => void;
  /** How long a stopped call may take to end before its process is killed. @default 5000 */
  readonly graceMs?: number | undefined;
}

/** The connection to one process of a plugin, and the calls that run there. */
export class PluginConnection {
  readonly manifest: PluginManifest;
  readonly #options: PluginConnectionOptions;
  readonly #env = new EnvMemory();
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #gone: string | undefined;

  constructor(manifest: PluginManifest, options: PluginConnectionOptions) {
    this.manifest = manifest;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#options.channel.pid;
  }

  /** Why the process can no longer be reached; `undefined` while it can. */
  get gone(): string | undefined {
    return this.#gone;
  }

  /** The process is gone: later calls are refused. */
  lose(reason: string): void {
    this.#gone ??= reason;
  }

  /** Run a tool. Where the call is stopped, the process is notified and its answer still awaited. */
  async call(tool: string, input: unknown, ctx: ToolContext): Promise<CallAnswer> {
    return this.#within(ctx, async (meta) => {
      const giveUp = new AbortController();
      const stopWatching = this.#watch(meta.key, ctx.signal, giveUp);
      try {
        const params: CallParams = { tool, input, meta };
        const answer = (await this.#send(methods.call, { ...params }, giveUp.signal)) as CallAnswer;
        if (typeof answer.answer?.ok !== "boolean")
          throw new ToolExecutionError(`"${tool}" returned an answer that Tenon cannot read.`);
        return answer;
      } finally {
        stopWatching();
      }
    });
  }

  /** Call a method of a tool other than `execute`. */
  async ask(params: Omit<AskToolParams, "meta">, ctx?: ToolContext): Promise<unknown> {
    if (ctx === undefined) return this.#request(methods.tool, { ...params });
    return this.#within(ctx, (meta) => this.#request(methods.tool, { ...params, meta }, ctx.signal));
  }

  hook(params: HookParams, signal?: AbortSignal): Promise<unknown> {
    return this.#request(methods.hook, { ...params }, signal);
  }

  /** Wait until no call is running, at most `graceMs`. */
  async idle(graceMs: number): Promise<void> {
    if (this.#inFlight === 0) return;
    await settlesWithin(new Promise<void>((resolve) => (this.#onIdle = resolve)), graceMs);
  }

  /** Let the plugin clean up, then end its process and everything it started. */
  async close(reason: string): Promise<void> {
    const stuck = this.#gone !== undefined;
    this.#gone ??= reason;
    if (!stuck)
      await settlesWithin(
        this.#options.peer.request(methods.close, {}).catch(() => undefined),
        2000,
      );
    this.#options.peer.close(new Error(reason));
    await this.#options.channel.close();
  }

  async #within<T>(ctx: ToolContext, run: (meta: CallMeta) => Promise<T>): Promise<T> {
    const key = this.#options.requests.open(ctx);
    this.#inFlight++;
    try {
      return await run(this.#metaOf(ctx, key));
    } finally {
      this.#options.requests.close(key);
      if (--this.#inFlight === 0) this.#onIdle?.();
    }
  }

  #metaOf(ctx: ToolContext, key: string): CallMeta {
    const { callId, sessionId, taskId, iterationId, agent, userId, allowedPaths, maxTextChars, settings } =
      ctx;
    const env = this.#env.news(sessionId, ctx.env);
    const client = ctx.client?.supports;
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

  /** Notify the process when a call must stop. If it goes on anyway, only killing the process stops it. */
  #watch(key: string, signal: AbortSignal, giveUp: AbortController): () => void {
    let timer: NodeJS.Timeout | undefined;
    const { graceMs = 5000 } = this.#options;
    const onAbort = (): void => {
      this.#options.peer.notify(methods.cancel, { key });
      timer = setTimeout(() => {
        this.#options.onStuck(this, `a stopped call did not end within ${graceMs} ms`);
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
    const answer = (await this.#send(method, params, signal)) as Answer;
    if (answer.ok) return answer.value;
    throw fromWireError(answer.error);
  }

  async #send(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<unknown> {
    if (this.#gone !== undefined) throw this.unavailable();
    try {
      return Object(await this.#options.peer.request(method, params, signal));
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
      hint: 'Call again in a moment: its process is being restarted. "tenon plugins list" shows its state.',
      details: { plugin: name },
    });
  }
}

const maxSessions = 500;

/** Remembers which environment a process knows of each session, so that it is sent only when it changed. */
class EnvMemory {
  readonly #known = new Map<string, string>();

  /** The environment, where the process has not heard of it. */
  news(sessionId: string, env: SessionEnv): WireEnv | undefined {
    const wire = toWire(env);
    const text = JSON.stringify(wire);
    if (this.#known.get(sessionId) === text) return undefined;
    this.#known.delete(sessionId);
    this.#known.set(sessionId, text);
    for (const old of this.#known.keys()) {
      if (this.#known.size <= maxSessions) break;
      this.#known.delete(old);
    }
    return wire;
  }
}

function toWire(env: SessionEnv): WireEnv {
  const values: Record<string, string> = {};
  const refused: string[] = [];
  for (const name of env.entries().keys()) {
    try {
      values[name] = env.get(name) ?? "";
    } catch {
      refused.push(name); // a secret that the agent may not see
    }
  }
  return { values, refused };
}
