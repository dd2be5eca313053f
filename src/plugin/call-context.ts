import type { ToolContext } from "../contract/context.js";
import { ToolExecutionError } from "../contract/errors.js";

/** A call of a member of a context, from the process of a plugin. */
export interface ContextRequest {
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
  processes: ["shell", "run", "start", "jobs", "output", "kill"],
  store: ["get", "set", "delete", "list"],
  code: ["search"],
  outputs: ["describe", "page", "search"],
  client: ["log"],
};

const workStores = new Set(["snippets", "memories", "plan", "artifacts", "pipeline"]);

/** Call a member of a call's context as its tool would, with the same guards; only listed members can be called. */
export async function callContext(ctx: ToolContext, request: ContextRequest): Promise<unknown> {
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
