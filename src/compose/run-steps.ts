import type { ToolContext } from "../contract/context.js";
import { ToolError, ToolExecutionError, toolErrorFrom, type ErrorInfo } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { ChainScope, StepRetry } from "./chain-types.js";
import type { Maker } from "./template.js";

export interface ReadyStep {
  readonly id: string;
  readonly when: (scope: ChainScope) => boolean;
  readonly retry: StepRetry | undefined;
  readonly optional: boolean;
  /** What it does: the calls to try one after the other, or a function. */
  readonly does:
    | { readonly calls: readonly { readonly tool: string; readonly input: Maker }[] }
    | { readonly run: (scope: ChainScope, ctx: ToolContext) => unknown };
}

/** Run groups of steps one after the other, the steps of a group side by side; throws where one fails. */
export async function runSteps(
  groups: readonly (readonly ReadyStep[])[],
  input: unknown,
  ctx: ToolContext,
): Promise<ChainScope> {
  // Without a prototype: an id is never found that no step has.
  const steps = Object.create(null) as Record<string, unknown>;
  const scope: ChainScope = { input, steps };
  const tell = createProgress(groups, ctx);
  for (const group of groups) {
    const [only] = group;
    if (group.length === 1 && only !== undefined) steps[only.id] = await runStep(only, scope, ctx);
    else await runSideBySide(group, scope, ctx);
    tell(group);
  }
  return scope;
}

/** All steps of a group end before the first failure is reported: nothing keeps running after the chain. */
async function runSideBySide(
  group: readonly ReadyStep[],
  scope: ChainScope,
  ctx: ToolContext,
): Promise<void> {
  const results = await Promise.allSettled(group.map((step) => runStep(step, scope, ctx)));
  const steps = scope.steps as Record<string, unknown>;
  for (const [at, result] of results.entries())
    if (result.status === "fulfilled") steps[(group[at] as ReadyStep).id] = result.value;
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** One step with its condition, its retries and its leave to fail. */
async function runStep(step: ReadyStep, scope: ChainScope, ctx: ToolContext): Promise<unknown> {
  for (let attempt = 0; ; attempt++) {
    try {
      if (!step.when(scope)) return undefined;
      return await take(step, scope, ctx);
    } catch (error) {
      ctx.signal.throwIfAborted();
      const { attempts = 0, delayMs = 100 } = step.retry ?? {};
      if (attempt < attempts && !(error instanceof ToolError && final.has(error.name))) {
        await ctx.clock.sleep(Math.min(delayMs * 2 ** attempt, 30_000), ctx.signal);
        continue;
      }
      if (!step.optional) throw failed(step, error, Object.keys(scope.steps));
      ctx.log.warn(`Step "${step.id}" failed and is left out: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Reports now and then: a chain of quick steps is over before anybody could look. */
function createProgress(
  groups: readonly (readonly ReadyStep[])[],
  ctx: ToolContext,
): (group: readonly ReadyStep[]) => void {
  const total = groups.reduce((sum, group) => sum + group.length, 0);
  let done = 0;
  let last = ctx.clock.monotonic();
  return (group) => {
    done += group.length;
    const now = ctx.clock.monotonic();
    if (now - last < 100) return;
    last = now;
    ctx.emit({ message: `${group.map(({ id }) => id).join(", ")} done`, progress: done, total });
  };
}

function take({ does }: ReadyStep, scope: ChainScope, ctx: ToolContext): unknown {
  return "run" in does ? does.run(scope, ctx) : callFirst(does.calls, scope, ctx);
}

async function callFirst(
  calls: readonly { readonly tool: string; readonly input: Maker }[],
  scope: ChainScope,
  ctx: ToolContext,
): Promise<unknown> {
  let first: ToolError | undefined;
  for (const { tool, input } of calls) {
    const answer = await ctx.call({ name: tool, arguments: input(scope) });
    if (answer.success) return answer.result;
    first ??= toolErrorFrom(answer.error, answer.toolName);
    ctx.signal.throwIfAborted();
  }
  throw first ?? new ToolExecutionError("The step has nothing to call.");
}

/** What the caller must change first, and what a person refused, fails the same way again. */
const final = new Set([
  "ToolValidationError",
  "ToolPermissionError",
  "ToolSecurityError",
  "ToolNotFoundError",
]);

/** The step's own error, saying where in the chain it happened and what is done already. */
function failed(step: ReadyStep, cause: unknown, done: readonly string[]): ToolError {
  const tool = "calls" in step.does ? ` (${step.does.calls[0]?.tool})` : "";
  const info: ErrorInfo =
    cause instanceof ToolError
      ? {
          // The chain itself was found; its step's tool was not.
          type: cause.name === "ToolNotFoundError" ? "ToolExecutionError" : cause.name,
          code: cause.code,
          message: cause.message,
          retryable: false,
          ...(cause.hint !== undefined && { hint: cause.hint }),
          ...(cause.details !== undefined && { details: cause.details }),
        }
      : { type: "ToolExecutionError", code: "EXECUTION_FAILED", message: messageOf(cause), retryable: false };
  const before = done.length === 0 ? "No step was done before it." : `Done before it: ${done.join(", ")}.`;
  return toolErrorFrom({
    ...info,
    message: `Step "${step.id}"${tool} failed: ${info.message} ${before}`,
    details: { ...info.details, step: step.id, stepsDone: done },
  });
}
