import type { ToolContext } from "../contract/context.js";
import { ToolExecutionError } from "../contract/errors.js";

/** A request of a plugin's process that one call of its tools made. */
export interface DoorRequest {
  readonly door: readonly string[];
  readonly args: readonly unknown[];
  readonly signal: AbortSignal;
}

type Open = (ctx: ToolContext, request: DoorRequest) => unknown;

/** Doors that need more than to be handed on. */
const special: Readonly<Record<string, Open>> = {
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

/** Members that are handed on as they are; whatever is not here does not exist for a plugin. */
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

/** Use a door of a call's context as its tool would: with the same guards, and nothing that is no door. */
export async function openDoor(ctx: ToolContext, request: DoorRequest): Promise<unknown> {
  const { door, args } = request;
  const name = door.join(".");
  const own = Object.hasOwn(special, name) ? special[name] : undefined;
  if (own !== undefined) return own(ctx, request);
  const [first = "", second = "", third] = door;
  if (door.length === 2 && Object.hasOwn(plain, first) && plain[first]?.includes(second) === true) {
    return invoke(ctx[first as "files"], second, args);
  }
  if (door.length === 3 && first === "store" && workStores.has(second) && third !== undefined) {
    return invoke(ctx.store[second as "plan"], third, args);
  }
  throw noDoor(name);
}

function invoke(owner: object | undefined, name: string, args: readonly unknown[]): unknown {
  // A member of every object (constructor, toString, …) is no door.
  const method: unknown =
    name in Object.prototype ? undefined : (owner as Record<string, unknown> | undefined)?.[name];
  if (typeof method !== "function") throw noDoor(name);
  return Reflect.apply(method, owner, args);
}

const mostItems = 200_000;

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    if (all.push(item) > mostItems) throw new ToolExecutionError(`There are more than ${mostItems} entries.`);
  }
  return all;
}

function noDoor(name: string): ToolExecutionError {
  return new ToolExecutionError(`ctx.${name} does not exist for a plugin in a process of its own.`, {
    hint: "docs/guide/plugins.md lists what does.",
  });
}
