import type { ContentPart } from "./call.js";
import type { ToolContext } from "./context.js";
import { ToolDefinitionError } from "./errors.js";
import {
  securityLevels,
  type PermissionResult,
  type RetryPolicy,
  type SecurityLevel,
  type Tool,
  type ToolAnnotations,
  type ToolConcurrency,
  type ToolExample,
  type ToolProgress,
} from "./tool.js";
import { isThenable } from "./is-thenable.js";

/** Annotations that make a tool count as more harmful, never as less. */
export interface StricterAnnotations {
  readonly title?: string | undefined;
  readonly readOnly?: false | undefined;
  readonly dangerous?: true | undefined;
  readonly idempotent?: false | undefined;
  readonly openWorld?: true | undefined;
  readonly cacheable?: false | undefined;
}

/** What a wrapper may change of the tool that it wraps; schemas and resources stay the tool's own. */
export interface ExtendToolConfig<Input = unknown, Output = unknown> {
  /** Another name, so that both can be registered. @default the tool's */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** @default the tool's, none where the name is another */
  readonly aliases?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly examples?: readonly ToolExample[] | undefined;
  readonly annotations?: StricterAnnotations | undefined;
  /** Needed besides those of the tool. */
  readonly capabilities?: readonly string[] | undefined;
  /** The tool's, or a higher one. */
  readonly securityLevel?: SecurityLevel | undefined;
  readonly timeoutMs?: number | null | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly fallback?: string | undefined;
  readonly priority?: number | undefined;
  readonly concurrency?: ToolConcurrency | undefined;
  /** Other input, or nothing to leave it. It is validated and judged by the policy before anything runs. */
  before?(input: Input, ctx: ToolContext): Input | undefined | Promise<Input | undefined>;
  /** Another result, checked by the tool's output schema. */
  after?(result: Output, input: Input, ctx: ToolContext): Output | Promise<Output>;
  render?(result: Output, input: Input): string | readonly ContentPart[];
}

/**
 * Make a tool that does what another one does, with something before, after or around it.
 *
 * @example
 * const polite = extendTool(greet, {
 *   description: "Greet someone by name, with a title.",
 *   before: ({ who }) => ({ who: `Dr ${who}` }),
 * });
 */
export function extendTool<Input, Output>(
  tool: Tool<Input, Output>,
  config: ExtendToolConfig<Input, Output>,
): Tool<Input, Output> {
  checkConfig(tool.name, config);
  const { annotations, capabilities, securityLevel, ...plain } = config;
  const renamed = config.name !== undefined && config.name !== tool.name;
  const extended = {
    ...ownMembers(tool),
    ...(renamed && { aliases: undefined }),
    ...defined({ ...plain, before: undefined, after: undefined }),
    annotations: stricterAnnotations(tool, annotations ?? {}),
    capabilities: [...(tool.capabilities ?? []), ...(capabilities ?? [])],
    securityLevel: higherLevel(tool, securityLevel),
    ...(config.before !== undefined && { checkPermissions: createCheck(tool, config) }),
    execute: createExecute(tool, config),
  };
  return Object.freeze(defined(extended)) as unknown as Tool<Input, Output>;
}

const configKeys: Readonly<Record<keyof ExtendToolConfig, true>> = {
  name: true,
  version: true,
  aliases: true,
  description: true,
  examples: true,
  annotations: true,
  capabilities: true,
  securityLevel: true,
  timeoutMs: true,
  retry: true,
  fallback: true,
  priority: true,
  concurrency: true,
  before: true,
  after: true,
  render: true,
};

function checkConfig(toolName: string, config: object): void {
  const key = Object.keys(config).find((name) => !Object.hasOwn(configKeys, name));
  if (key === undefined) return;
  throw new ToolDefinitionError(`extendTool cannot change "${key}" of "${toolName}".`, {
    toolName,
    hint: `It can change ${Object.keys(configKeys).join(", ")}.`,
  });
}

const data = [
  "name",
  "description",
  "category",
  "input",
  "output",
  "version",
  "aliases",
  "examples",
  "dependsOn",
  "timeoutMs",
  "retry",
  "fallback",
  "priority",
  "concurrency",
  "cacheTtlMs",
] as const;

const methods = [
  "resources",
  "prepare",
  "shellLine",
  "meansCall",
  "checkPermissions",
  "preview",
  "healthCheck",
  "init",
  "dispose",
  "render",
] as const;

/** Members one by one and methods bound: a tool may be an instance with private fields. */
function ownMembers<Input, Output>(tool: Tool<Input, Output>): Record<string, unknown> {
  const members: Record<string, unknown> = { ...tool };
  for (const key of data) members[key] = tool[key];
  for (const key of methods) {
    const method = tool[key] as ((...args: unknown[]) => unknown) | undefined;
    members[key] = method?.bind(tool);
  }
  return members;
}

const loosest = { readOnly: true, dangerous: false, idempotent: true, openWorld: false, cacheable: true };

function stricterAnnotations(
  tool: Pick<Tool, "name" | "annotations" | "securityLevel">,
  wanted: StricterAnnotations,
): ToolAnnotations {
  const own = tool.annotations ?? {};
  for (const [key, loose] of Object.entries(loosest)) {
    const value: boolean | undefined = wanted[key as keyof typeof loosest];
    if (value !== loose || own[key as keyof typeof loosest] === loose) continue;
    if (!loose && own[key as keyof typeof loosest] === undefined) continue; // `false` is what it is anyway
    throw new ToolDefinitionError(
      `extendTool cannot set "${key}" of "${tool.name}" to ${value}: that would be looser than the tool itself.`,
      { toolName: tool.name, hint: "An extended tool may only count as more harmful than the one it wraps." },
    );
  }
  return defined({ ...own, ...defined(wanted) }) as ToolAnnotations;
}

function higherLevel(
  tool: Pick<Tool, "name" | "annotations" | "securityLevel">,
  wanted: SecurityLevel | undefined,
): SecurityLevel | undefined {
  const own = tool.securityLevel;
  if (wanted === undefined || own === undefined) return wanted ?? own;
  if (securityLevels.indexOf(wanted) >= securityLevels.indexOf(own)) return wanted;
  throw new ToolDefinitionError(
    `extendTool cannot lower the securityLevel of "${tool.name}" to "${wanted}".`,
    {
      toolName: tool.name,
      hint: `It is "${own}"; name that or a higher one.`,
    },
  );
}

/**
 * `before` runs where the tool's own check runs: what it returns there is validated and judged again,
 * so that no wrapper can bypass the policy. It runs once per call, however often the call is judged.
 */
function createCheck<Input, Output>(
  tool: Tool<Input, Output>,
  config: ExtendToolConfig<Input, Output>,
): (input: Input, ctx: ToolContext) => Promise<PermissionResult<Input>> {
  const done = new WeakSet<ToolContext>();
  return async (input, ctx) => {
    const changed = done.has(ctx) ? undefined : await config.before?.(input, ctx);
    done.add(ctx);
    const verdict = (await tool.checkPermissions?.(changed ?? input, ctx)) ?? { behavior: "allow" as const };
    const updatedInput = verdict.updatedInput ?? changed;
    return updatedInput === undefined ? verdict : { ...verdict, updatedInput };
  };
}

function createExecute<Input, Output>(
  tool: Tool<Input, Output>,
  config: ExtendToolConfig<Input, Output>,
): Tool<Input, Output>["execute"] {
  if (config.after === undefined) return (input, ctx) => tool.execute(input, ctx);
  return (input, ctx) => {
    const after = (result: Output): Output | Promise<Output> =>
      config.after === undefined ? result : config.after(result, input, ctx);
    const running: unknown = tool.execute(input, ctx);
    if (isSteps<Output>(running)) return continued(running, after);
    if (!isThenable(running)) return after(running as Output);
    return Promise.resolve(running).then((value) =>
      isSteps<Output>(value) ? (continued(value, after) as unknown as Output) : after(value as Output),
    );
  };
}

type Steps<Output> = AsyncGenerator<ToolProgress | string, Output, void>;

async function* continued<Output>(
  steps: Steps<Output>,
  after: (result: Output) => Output | Promise<Output>,
): Steps<Output> {
  return after(yield* steps);
}

function isSteps<Output>(value: unknown): value is Steps<Output> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function defined<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
