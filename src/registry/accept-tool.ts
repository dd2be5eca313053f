import { attempt } from "../contract/errno.js";
import { ToolDefinitionError } from "../contract/errors.js";
import { hasLazySchemas } from "../contract/lazy-schema.js";
import type { SchemaSource } from "../contract/schema-source.js";
import type { Tool, ToolAnnotations, ToolConcurrency, ToolProgress } from "../contract/tool.js";
import { suggestKey, type KeysOf } from "../schema/check-keys.js";
import { optionalMethods } from "./check-definition.js";
import { messageOf } from "../contract/message-of.js";
import { isGenerator } from "../contract/is-thenable.js";

type OptionalMethod = (typeof optionalMethods)[number];
type Reshaped = "name" | "description" | "category" | "input" | "output" | "execute" | OptionalMethod;

/** Methods of any class, whatever the types of their parameters. */
type LooseMethods = { readonly [Name in OptionalMethod]?: (input: never, other: never) => unknown };

/** A tool in the shape of any of the sources: a class instance, other names for the same members. */
export interface LooseTool extends Partial<Omit<Tool, Reshaped>>, LooseMethods {
  readonly name: string;
  readonly description: string;
  /** @default "custom" */
  readonly category?: string;
  readonly input?: SchemaSource;
  /** Another name for `input`. */
  readonly parameters?: SchemaSource;
  /** Another name for `input`. */
  readonly inputSchema?: SchemaSource;
  readonly output?: SchemaSource;
  /** Another name for `output`. */
  readonly outputSchema?: SchemaSource;
  /** The same as the annotation. */
  readonly dangerous?: boolean;
  isEnabled?(): boolean;
  isReadOnly?(): boolean;
  isConcurrencySafe?(): boolean;
  execute?(input: never, ctx: never): unknown;
  /** Another name for `execute`; a generator whose last value is the result. */
  call?(input: never, ctx: never): unknown;
}

/** Anything that can be registered as a tool. */
export type ToolLike = Tool | LooseTool;

/** A tool in the one shape, not yet checked. */
export interface AcceptedTool {
  readonly tool: Tool;
  readonly isEnabled: (() => boolean) | undefined;
}

type Members = { readonly [Name in keyof Tool | keyof LooseTool]?: unknown };

const dataMembers = [
  "name",
  "description",
  "version",
  "aliases",
  "examples",
  "dependsOn",
  "optionalDependsOn",
  "capabilities",
  "securityLevel",
  "timeoutMs",
  "retry",
  "fallback",
  "priority",
  "cacheTtlMs",
  "native",
  "replaces",
] as const;

/** Bring a tool into the standard shape. One that has it already is not copied; methods keep their `this`. */
export function acceptTool(like: unknown): AcceptedTool {
  if (typeof like !== "object" || like === null) {
    throw new ToolDefinitionError(`A tool must be an object, not ${like === null ? "null" : typeof like}.`);
  }
  try {
    const members = like as Members;
    if (isLiteral(like)) checkMembers(like);
    const isEnabled =
      typeof members.isEnabled === "function"
        ? () => (members as { isEnabled(): unknown }).isEnabled() !== false
        : undefined;
    return { tool: isPlain(members) ? (like as Tool) : adapt(members), isEnabled };
  } catch (error) {
    if (error instanceof ToolDefinitionError) throw error;
    throw new ToolDefinitionError(`A tool could not be read: ${messageOf(error)}`, { cause: error });
  }
}

/** All members of a tool. */
const memberNames: KeysOf<Tool & LooseTool> & Readonly<Record<string, unknown>> = {
  name: true,
  description: true,
  category: true,
  input: true,
  parameters: true,
  inputSchema: true,
  output: true,
  outputSchema: true,
  version: true,
  aliases: true,
  annotations: true,
  examples: true,
  definition: true,
  dependsOn: true,
  optionalDependsOn: true,
  capabilities: true,
  securityLevel: true,
  timeoutMs: true,
  retry: true,
  fallback: true,
  priority: true,
  concurrency: true,
  cacheTtlMs: true,
  native: true,
  replaces: true,
  dangerous: true,
  isEnabled: true,
  isReadOnly: true,
  isConcurrencySafe: true,
  resources: true,
  prepare: true,
  shellLine: true,
  runsOnlyLine: true,
  meansCall: true,
  checkPermissions: true,
  preview: true,
  validateDependencies: true,
  healthCheck: true,
  init: true,
  dispose: true,
  render: true,
  execute: true,
  call: true,
};

/** What other libraries call the members of a tool. */
const otherNames = {
  args: "input",
  schema: "input",
  input_schema: "input",
  returns: "output",
  handler: "execute",
  run: "execute",
  invoke: "execute",
  func: "execute",
  timeout: "timeoutMs",
  readOnly: "annotations",
  idempotent: "annotations",
};

/** Written as a literal; an instance of a class may have any members of its own. */
function isLiteral(like: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(like);
  return prototype === Object.prototype || prototype === null;
}

function checkMembers(like: object): void {
  const key = Object.keys(like).find((name) => memberNames[name] !== true && !name.startsWith("_"));
  if (key === undefined) return;
  const { name } = like as { readonly name?: unknown };
  throw new ToolDefinitionError(
    `Tool ${typeof name === "string" ? JSON.stringify(name) : "definition"} has the unknown member "${key}".`,
    { hint: suggestKey(key, Object.keys(memberNames), otherNames) },
  );
}

function isPlain(members: Members): boolean {
  return (
    members.category !== undefined &&
    (hasLazySchemas(members) || members.input !== undefined) &&
    members.execute !== undefined &&
    members.outputSchema === undefined &&
    members.dangerous === undefined &&
    members.isReadOnly === undefined &&
    members.isConcurrencySafe === undefined
  );
}

function adapt(members: Members): Tool {
  const entries: [string, unknown][] = [
    ...dataMembers.map((name): [string, unknown] => [name, members[name]]),
    ...[...optionalMethods, "execute" as const].map((name): [string, unknown] => [
      name,
      bound(members, name),
    ]),
    ["category", members.category ?? "custom"],
    ["input", members.input ?? members.parameters ?? members.inputSchema],
    ["output", members.output ?? members.outputSchema],
    ["annotations", annotationsOf(members)],
    ["concurrency", concurrencyOf(members)],
  ];
  if (members.execute === undefined && typeof members.call === "function") {
    entries.push(["execute", executeFromCall(members as { call(input: unknown, ctx: unknown): unknown })]);
  }
  return Object.freeze(
    Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  ) as unknown as Tool;
}

/** Bound rather than copied or inherited: private fields need the very instance. */
function bound(members: Members, name: keyof Tool): unknown {
  const method = members[name];
  return typeof method === "function" ? method.bind(members) : method;
}

function annotationsOf(members: Members): unknown {
  const given = members.annotations ?? {};
  if (typeof given !== "object") return given;
  const annotations: { -readonly [Name in keyof ToolAnnotations]: ToolAnnotations[Name] } = { ...given };
  if (members.dangerous === true) annotations.dangerous = true;
  // Where the method and the annotation disagree, the stricter counts.
  if (typeof members.isReadOnly === "function") {
    annotations.readOnly = says(members, "isReadOnly") && annotations.readOnly !== false;
  }
  return annotations;
}

function concurrencyOf(members: Members): unknown {
  const given = members.concurrency;
  if (typeof members.isConcurrencySafe !== "function" || says(members, "isConcurrencySafe")) return given;
  return { ...(given as ToolConcurrency | undefined), safe: false };
}

/** A method that needs an input to decide cannot promise anything for all of them. */
function says(members: Members, name: "isReadOnly" | "isConcurrencySafe"): boolean {
  return attempt(() => (members as Record<typeof name, () => unknown>)[name]() === true) ?? false;
}

interface Caller {
  call(input: unknown, ctx: unknown): unknown;
}

/**
 * Make an `execute` of a `call` that yields its result as its last value. Reports pass at once;
 * what `call` returns, if anything, goes before what it yielded.
 */
function executeFromCall(tool: Caller): (input: unknown, ctx: unknown) => unknown {
  return (input, ctx) => {
    const running = tool.call(input, ctx);
    return isGenerator(running) ? relay(running) : running;
  };
}

async function* relay(
  running: AsyncIterator<unknown, unknown, void>,
): AsyncGenerator<ToolProgress | string, unknown, void> {
  let last: unknown;
  let ended = false;
  try {
    for (;;) {
      const step = await running.next();
      if (step.done === true) {
        ended = true;
        return step.value ?? resultIn(last);
      }
      last = step.value;
      if (isReport(last)) yield last;
    }
  } finally {
    // A consumer that stops reading stops the tool, too.
    if (!ended) await running.return?.();
  }
}

function isReport(value: unknown): value is ToolProgress | string {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  return "type" in value ? value.type === "progress" : "progress" in value || "message" in value;
}

function resultIn(last: unknown): unknown {
  const wrapped = typeof last === "object" && last !== null && "type" in last && last.type === "result";
  return wrapped && "data" in last ? last.data : last;
}
