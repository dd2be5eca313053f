import type { ToolContext } from "../contract/context.js";
import { ToolExecutionError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { LogLevel } from "../contract/ports/log.js";
import { RequestError } from "../wire/json-rpc-peer.js";
import { rpcErrors } from "../wire/json-rpc.js";
import { callContext } from "./call-context.js";
import { toWireError } from "./wire-error.js";
import { decode, encode, methods, type Answer, type ContextParams, type Note } from "./protocol.js";

/** Logs what a plugin reports outside of a call. */
export type LogPlugin = (level: LogLevel, message: string, fields: unknown) => void;

/** Answers the requests of a plugin's process, each with the context of the call that it belongs to. */
export class PluginRequests {
  readonly #log: LogPlugin;
  readonly #calls = new Map<string, ToolContext>();
  #lastKey = 0;

  constructor(log: LogPlugin) {
    this.#log = log;
  }

  /** From now on the process can use this context, under the key that is returned. */
  open(ctx: ToolContext): string {
    const key = String(++this.#lastKey);
    this.#calls.set(key, ctx);
    return key;
  }

  close(key: string): void {
    this.#calls.delete(key);
  }

  async answer(method: string, params: unknown, signal: AbortSignal): Promise<Answer> {
    if (method !== methods.context)
      throw new RequestError(rpcErrors.unknownMethod, `Unknown method: ${method}`);
    const { key, path, args } = params as ContextParams;
    const ctx = this.#calls.get(key);
    try {
      if (ctx === undefined) throw new ToolExecutionError("The call is over.");
      const either = AbortSignal.any([signal, ctx.signal]);
      const request = { path, args: decode(args) as unknown[], signal: either };
      return { ok: true, value: encode(await callContext(ctx, request)) };
    } catch (error) {
      return { ok: false, error: toWireError(error) };
    }
  }

  /** Take what the process reports without waiting for an answer. */
  note(method: string, params: Readonly<Record<string, unknown>>): void {
    const { notes } = params;
    for (const note of method === methods.notes && Array.isArray(notes) ? (notes as Note[]) : []) {
      try {
        this.#take(note);
      } catch (error) {
        // A report that cannot be read is the plugin's fault and must not affect other calls.
        this.#log("warn", `A report could not be read: ${messageOf(error)}`, {});
      }
    }
  }

  #take({ key, kind, args }: Note): void {
    const [first, second, third] = decode(args) as unknown[];
    const ctx = this.#calls.get(key);
    if (kind === "log" && isLevel(first)) {
      if (ctx === undefined) this.#log(first, String(second), third);
      else ctx.log[first](String(second), Object(third) as Record<string, unknown>);
    } else if (kind === "emit") {
      ctx?.emit(typeof first === "string" ? first : (Object(first) as Record<string, never>));
    } else if (kind === "env" && ctx !== undefined) {
      try {
        ctx.env.set(String(first), String(second));
      } catch (error) {
        ctx.log.warn(`A variable could not be set: ${messageOf(error)}`);
      }
    }
  }
}

function isLevel(value: unknown): value is LogLevel {
  return value === "debug" || value === "info" || value === "warn" || value === "error";
}
