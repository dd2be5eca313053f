import type { ContentPart } from "../contract/call.js";
import type { ToolContext } from "../contract/context.js";
import { ToolInternalError } from "../contract/errors.js";
import type { HealthVerdict, PermissionResult, Tool, ToolPreview } from "../contract/tool.js";
import type { PluginConnection } from "./plugin-connection.js";
import { fromWireError } from "./wire-error.js";
import { pickMembers, toolData, type Prepared, type ToolManifest } from "./protocol.js";

/** Which process answers for a tool now: its own, or the one that took its place. */
export type GetConnection = () => PluginConnection | Promise<PluginConnection>;

/** A tool that runs in a plugin's process, as the registry takes it. */
export function createRemoteTool(manifest: ToolManifest, getConnection: GetConnection): Tool {
  const { name } = manifest;
  const has = new Set(manifest.methods);
  const prepared = new WeakMap<object, Prepared>();
  const rendered = new WeakMap<object, string | readonly ContentPart[]>();
  const reached = async (): Promise<PluginConnection> => getConnection();
  const ask = (method: "preview" | "checkPermissions", input: unknown, ctx: ToolContext): Promise<unknown> =>
    reached().then((connection) => connection.ask({ tool: name, method, input }, ctx));

  const tool: Tool = {
    ...(pickMembers(manifest, toolData) as unknown as Tool),
    input: manifest.inputSchema,
    ...(manifest.outputSchema !== undefined && { output: manifest.outputSchema }),
    async execute(input, ctx) {
      const answer = await (await getConnection()).call(name, input, ctx);
      if (!answer.answer.ok) throw fromWireError(answer.answer.error);
      if (answer.rendered !== undefined && isObject(input)) rendered.set(input, answer.rendered);
      return answer.answer.value;
    },
    ...(has.has("checkPermissions") && {
      checkPermissions: (input: unknown, ctx: ToolContext) =>
        ask("checkPermissions", input, ctx) as Promise<PermissionResult>,
    }),
    ...(has.has("preview") && {
      preview: (input: unknown, ctx: ToolContext) => ask("preview", input, ctx) as Promise<ToolPreview>,
    }),
    ...(has.has("healthCheck") && {
      healthCheck: async () =>
        (await (await getConnection()).ask({ tool: name, method: "healthCheck" })) as HealthVerdict,
    }),
    ...(has.has("init") && {
      init: async () => void (await (await getConnection()).ask({ tool: name, method: "init" })),
    }),
    // Rendered where the result was made, and brought along with it.
    ...(has.has("render") && {
      render: (result: unknown, input: unknown) =>
        (isObject(input) ? rendered.get(input) : undefined) ?? toText(result),
    }),
  };
  return has.has("resources") || has.has("shellLine") ? { ...tool, ...prepareMethods() } : tool;

  async function askAhead(input: unknown): Promise<void> {
    if (!isObject(input)) throw new ToolInternalError(`"${name}" takes an object.`);
    const connection = await getConnection();
    prepared.set(input, Object(await connection.ask({ tool: name, method: "prepare", input })) as Prepared);
  }

  /** The resources of a call are requested once, ahead of it, so that they can be returned synchronously later. */
  function prepareMethods(): Partial<Tool> {
    return {
      prepare: (input) => (isObject(input) && prepared.has(input) ? undefined : askAhead(input)),
      ...(has.has("resources") && {
        resources: (input: unknown) => (isObject(input) ? prepared.get(input)?.resources : undefined) ?? {},
      }),
      ...(has.has("shellLine") && {
        shellLine: (input: unknown) => (isObject(input) ? prepared.get(input)?.shellLine : undefined),
      }),
    };
  }
}

function toText(result: unknown): string {
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
