import type { Infer, SchemaSource } from "../contract/schema-source.js";
import type { Tool } from "../contract/tool.js";
import { checkSteps, singleSteps, type SingleStep } from "./check-steps.js";
import { checkAgainstTools } from "./check-against-tools.js";
import type { ChainDefinition, ChainStep, ToolStep } from "./chain-types.js";
import { runSteps, type ReadyStep } from "./run-steps.js";
import { compileCondition, compileValue } from "./template.js";

/**
 * Make a tool out of tools. Each step is a call with all its checks, shown below the chain's own; the
 * chain is checked here, and once more against the tools of its steps when it is registered.
 *
 * @example
 * const keep = defineChain({
 *   name: "keep_page",
 *   description: "Fetch a page and keep it as a file.",
 *   input: z.object({ url: z.string(), path: z.string() }),
 *   steps: [
 *     { id: "page", tool: "web_fetch", input: { url: "{{ input.url }}" }, retry: { attempts: 2 } },
 *     { id: "file", tool: "write_file", input: { path: "{{ input.path }}", content: "{{ steps.page.content }}" } },
 *   ],
 * });
 */
export function defineChain<const In extends SchemaSource>(chain: ChainDefinition<In>): Tool<Infer<In>> {
  const definition = chain as unknown as ChainDefinition;
  checkSteps(definition);
  const steps = definition.steps as readonly ChainStep<never>[];
  const groups = steps.map((step) => ("parallel" in step ? step.parallel : [step]).map(makeReady));
  const result = chain.result === undefined ? undefined : compileValue(chain.result);
  const last = groups.at(-1) ?? [];
  const { steps: _steps, result: _result, render, resources, ...rest } = chain;
  const tool: Tool<Infer<In>> = {
    timeoutMs: null, // each step has its own limit
    ...rest,
    category: chain.category ?? "custom",
    dependsOn: toolsOf(steps, isNeeded),
    optionalDependsOn: toolsOf(steps, (step) => !isNeeded(step)),
    ...(resources !== undefined && { resources: (input: Infer<In>) => resources(input) }),
    ...(render !== undefined && { render: (value: unknown, input: Infer<In>) => render(value, input) }),
    validateDependencies: (describe) => checkAgainstTools(definition, describe),
    async execute(input, ctx) {
      const scope = await runSteps(groups, input, ctx);
      if (result !== undefined) return result(scope);
      const [only] = last;
      if (last.length === 1 && only !== undefined) return scope.steps[only.id] ?? null;
      return Object.fromEntries(last.map(({ id }) => [id, scope.steps[id] ?? null]));
    },
  };
  return Object.freeze(tool);
}

function makeReady(step: SingleStep): ReadyStep {
  const common = {
    id: step.id,
    when: compileCondition(step.when),
    retry: step.retry,
    optional: step.optional ?? false,
  };
  if ("run" in step) return { ...common, does: { run: step.run as never } };
  const input = compileValue(step.input ?? {});
  const fallback = typeof step.fallback === "string" ? { tool: step.fallback } : step.fallback;
  const calls = [{ tool: step.tool, input }];
  if (fallback !== undefined)
    calls.push({
      tool: fallback.tool,
      input: fallback.input === undefined ? input : compileValue(fallback.input),
    });
  return { ...common, does: { calls } };
}

/** The chain cannot do without it. */
function isNeeded(step: ToolStep<never>): boolean {
  return step.when === undefined && step.optional !== true && step.fallback === undefined;
}

/** Tools of other servers come and go by themselves: a chain must not wait for them to be defined. */
function toolsOf(
  steps: readonly ChainStep<never>[],
  wanted: (step: ToolStep<never>) => boolean,
): readonly string[] {
  const names = singleSteps(steps).flatMap((step) => {
    if (!("tool" in step) || !wanted(step)) return [];
    const fallback = typeof step.fallback === "string" ? step.fallback : step.fallback?.tool;
    return fallback === undefined ? [step.tool] : [step.tool, fallback];
  });
  return [...new Set(names)].filter((name) => !name.includes(":"));
}
