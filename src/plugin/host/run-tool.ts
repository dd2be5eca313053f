import { attempt } from "../../contract/errno.js";
import { isGenerator } from "../../contract/is-thenable.js";
import type { ToolContext } from "../../contract/context.js";
import type { ContentPart } from "../../contract/call.js";
import {
  ToolCancelledError,
  ToolExecutionError,
  ToolNotFoundError,
  ToolValidationError,
} from "../../contract/errors.js";
import type { Validator } from "../../schema/checked.js";
import { toPlainResult } from "../../schema/plain-result.js";
import type { CheckedPlugin, CheckedTool } from "../check-plugin.js";
import { toWireError } from "../wire-error.js";
import type { AskToolParams, CallAnswer, CallMeta, WireEnv } from "../protocol.js";
import { createRemoteContext } from "./remote-context.js";
import type { ContextRequests } from "./context-requests.js";

export interface ToolRunner {
  call(name: string, input: unknown, meta: CallMeta, signal: AbortSignal): Promise<CallAnswer>;
  ask(params: AskToolParams, signal: AbortSignal): Promise<unknown>;
  cancel(key: string): void;
  dispose(): Promise<void>;
}

const maxSessions = 1000;

/** Runs the tools of a plugin in its own process. */
export function createToolRunner(
  plugin: CheckedPlugin,
  { requests, workspace }: { readonly requests: ContextRequests; readonly workspace: string },
): ToolRunner {
  const tools = new Map(plugin.tools.map((checked) => [checked.tool.name, checked]));
  const starts = new Map<string, Promise<void>>();
  const envs = new Map<string, WireEnv>();
  const stops = new Map<string, AbortController>();

  const find = (name: string): CheckedTool => {
    const checked = tools.get(name);
    if (checked === undefined) throw new ToolNotFoundError(name);
    return checked;
  };
  const envOf = ({ sessionId, env }: CallMeta): WireEnv => {
    if (env !== undefined) {
      envs.set(sessionId, env);
      for (const old of envs.keys()) {
        if (envs.size <= maxSessions) break;
        envs.delete(old);
      }
    }
    return envs.get(sessionId) ?? { values: {}, refused: [] };
  };
  const start = (checked: CheckedTool): Promise<void> | undefined => {
    const { tool } = checked;
    if (tool.init === undefined) return undefined;
    const starting = starts.get(tool.name) ?? (async () => tool.init?.())();
    starts.set(tool.name, starting);
    starting.catch(() => starts.delete(tool.name)); // the next call tries again
    return starting;
  };
  const within = async <T>(
    meta: CallMeta,
    signal: AbortSignal,
    run: (ctx: ToolContext) => Promise<T>,
  ): Promise<T> => {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(new ToolCancelledError());
    signal.addEventListener("abort", onAbort, { once: true });
    stops.set(meta.key, stop);
    requests.open(meta.key);
    try {
      return await run(
        createRemoteContext({ meta, env: envOf(meta), signal: stop.signal, workspace, requests }),
      );
    } finally {
      stops.delete(meta.key);
      signal.removeEventListener("abort", onAbort);
    }
  };

  return {
    async call(name, given, meta, signal) {
      try {
        const checked = find(name);
        await start(checked);
        const input = checkedBy(checked.input, given, name);
        const value = await within(meta, signal, (ctx) => execute(checked, input, ctx));
        const plain = resultOf(checked, value);
        const rendered = render(checked, plain, input);
        return { answer: { ok: true, value: plain }, ...(rendered !== undefined && { rendered }) };
      } catch (error) {
        return { answer: { ok: false, error: toWireError(error) } };
      } finally {
        requests.close(meta.key);
      }
    },
    async ask({ tool: name, method, input: given, meta }, signal) {
      const checked = find(name);
      const { tool } = checked;
      if (method === "healthCheck") return tool.healthCheck?.();
      if (method === "init") return start(checked);
      if (method === "dispose") return undefined; // done once, when the process ends
      const input = checkedBy(checked.input, given, name);
      if (method === "prepare") {
        return { resources: tool.resources?.(input), shellLine: tool.shellLine?.(input, {}) };
      }
      if (meta === undefined) throw new ToolExecutionError(`${method} needs a call.`);
      try {
        return await within(meta, signal, async (ctx) => tool[method]?.(input, ctx));
      } finally {
        requests.close(meta.key);
      }
    },
    cancel(key) {
      stops.get(key)?.abort(new ToolCancelledError());
    },
    async dispose() {
      for (const stop of stops.values()) stop.abort(new ToolCancelledError("The plugin is unloaded."));
      await Promise.allSettled(plugin.tools.map(async ({ tool }) => tool.dispose?.()));
    },
  };
}

/** The schema as the author wrote it: transforms and refinements count, which JSON Schema cannot say. */
function checkedBy(validator: Validator, input: unknown, name: string): unknown {
  const checked = validator.check(input);
  if (checked.ok) return checked.value;
  const faults = checked.issues.map(({ message }) => message).join("; ");
  throw new ToolValidationError(`Invalid arguments for "${name}": ${faults}`, {
    hint: "Correct every argument that is named and call again.",
    details: { issues: checked.issues },
  });
}

async function execute({ tool }: CheckedTool, input: unknown, ctx: ToolContext): Promise<unknown> {
  const running: unknown = await tool.execute(input, ctx);
  if (!isGenerator(running)) return running;
  for (;;) {
    const { done, value } = await running.next();
    if (done === true) return value;
    ctx.emit(value);
    if (ctx.signal.aborted) {
      await running.return?.(undefined);
      throw ctx.signal.reason;
    }
  }
}

function resultOf({ tool, output }: CheckedTool, value: unknown): unknown {
  const plain = toPlainResult(value).value;
  if (output === undefined) return plain;
  const checked = output.check(plain);
  if (checked.ok) return checked.value;
  const faults = checked.issues.map(({ message }) => message).join("; ");
  throw new ToolExecutionError(
    `"${tool.name}" returned a result that does not match its output schema: ${faults}`,
    {
      code: "RESULT_INVALID",
      details: { issues: checked.issues },
    },
  );
}

/** The result itself is good: a broken rendering costs its own text only. */
function render(
  { tool }: CheckedTool,
  result: unknown,
  input: unknown,
): string | readonly ContentPart[] | undefined {
  return attempt(() => tool.render?.(result, input));
}
