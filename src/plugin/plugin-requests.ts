import type { ToolContext } from "../contract/context.js";
import { ToolExecutionError } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { LogLevel } from "../contract/ports/log.js";
import { RequestError } from "../wire/json-rpc-peer.js";
import { rpcErrors } from "../wire/json-rpc.js";
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

/** A call of a member of a context, from the process of a plugin. */
interface ContextRequest {
  /** For example `["files", "read"]`. */
  readonly path: readonly string[];
  readonly args: readonly unknown[];
  readonly signal: AbortSignal;
}

type ContextMember = (ctx: ToolContext, request: ContextRequest) => unknown;

/** Members that take a signal, or whose result cannot be sent as it is. */
const adapted: Readonly<Record<string, ContextMember>> = {
  call: (ctx, { args: [request] }) =>
    ctx.call(request as never).then((answer) => ({ ...answer, content: answer.content })),
  "http.request": (ctx, { args: [request], signal }) =>
    ctx.http.request({ ...(request as { url: string }), signal }),
  "interact.ask": (ctx, { args: [question], signal }) => ctx.interact.ask(question as never, signal),
  "client.elicit": (ctx, { args: [params], signal }) => ctx.client?.elicit(params as never, signal),
  "client.request": (ctx, { args: [method, params], signal }) =>
    ctx.client?.request?.(method as string, params as never, signal),
  "client.sample": (ctx, { args: [params], signal }) => ctx.client?.sample(params as never, signal),
  "files.list": (ctx, { args: [path] }) => collect(ctx.files.list(path as string)),
  "files.walk": (ctx, { args: [path, options] }) => collect(ctx.files.walk(path as string, options as never)),
};

/** Members that are called as they are; anything that is not listed does not exist for a plugin. */
const plain: Readonly<Record<string, readonly string[]>> = {
  files: [
    "stat",
    "read",
    "write",
    "append",
    "mkdir",
    "move",
    "copy",
    "delete",
    "apply",
    "undo",
    "touchedBy",
    "previewUndo",
    "history",
    "clearHistory",
  ],
  processes: ["presetHosts", "shell", "run", "start", "jobs", "output", "type", "kill"],
  store: ["get", "set", "delete", "list"],
  code: ["search"],
  outputs: ["describe", "page", "search"],
  client: ["log"],
};

const workStores = new Set(["snippets", "memories", "plan", "artifacts", "pipeline"]);

/** Call a member of a call's context as its tool would, with the same guards; only listed members can be called. */
async function callContext(ctx: ToolContext, request: ContextRequest): Promise<unknown> {
  const { path, args } = request;
  const name = path.join(".");
  const member = Object.hasOwn(adapted, name) ? adapted[name] : undefined;
  if (member !== undefined) return member(ctx, request);
  const [first = "", second = "", third] = path;
  if (path.length === 2 && Object.hasOwn(plain, first) && plain[first]?.includes(second) === true) {
    return invoke(ctx[first as "files"], second, args);
  }
  if (path.length === 3 && first === "store" && workStores.has(second) && third !== undefined) {
    return invoke(ctx.store[second as "plan"], third, args);
  }
  throw unknownMember(name);
}

function invoke(owner: object | undefined, name: string, args: readonly unknown[]): unknown {
  // A member of every object (constructor, toString, …) cannot be called.
  const method: unknown =
    name in Object.prototype ? undefined : (owner as Record<string, unknown> | undefined)?.[name];
  if (typeof method !== "function") throw unknownMember(name);
  return Reflect.apply(method, owner, args);
}

const maxItems = 200_000;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    if (all.push(item) > maxItems)
      throw new ToolExecutionError(`There are more than ${maxItems} entries. List a smaller folder.`);
  }
  return all;
}

function unknownMember(name: string): ToolExecutionError {
  return new ToolExecutionError(`ctx.${name} does not exist for a plugin in its own process.`, {
    hint: "docs/guide/plugins.md lists the members that do.",
  });
}
