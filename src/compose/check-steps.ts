import { ToolDefinitionError } from "../contract/errors.js";
import { nearest } from "../schema/nearest.js";
import type { ChainDefinition, ChainStep, FunctionStep, ToolStep } from "./chain-types.js";
import type { Reference } from "./reference.js";
import { referencesIn } from "./template.js";

const maxSteps = 1000;
const idPattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export type SingleStep = ToolStep<never> | FunctionStep<never>;

/** The steps of a chain without its parallel groups. */
export function singleSteps(steps: readonly ChainStep<never>[]): readonly SingleStep[] {
  return steps.flatMap((step) => ("parallel" in step ? step.parallel : [step]));
}

/** Refuse a chain that cannot work, whatever tools there are: shapes, ids, and where values come from. */
export function checkSteps(chain: ChainDefinition): void {
  const refuse = (fault: string, hint?: string): never => {
    throw new ToolDefinitionError(`Chain "${chain.name}" ${fault}.`, {
      code: "CHAIN_INVALID",
      ...(hint !== undefined && { hint }),
    });
  };
  const steps = chain.steps as readonly ChainStep<never>[];
  if (!Array.isArray(steps) || steps.length === 0) refuse("has no steps", "Give it at least one step.");
  const all = singleSteps(steps);
  if (all.length > maxSteps) refuse(`has ${all.length} steps; at most ${maxSteps} are allowed`);
  const earlier = new Set<string>();
  const later = new Set(all.map((step) => step?.id));
  for (const step of steps) {
    const group = "parallel" in step ? step.parallel : [step];
    if (!Array.isArray(group) || group.length === 0) refuse("has a parallel group without steps");
    for (const one of group) checkStep(one, { earlier, later, refuse });
    for (const { id } of group) {
      if (earlier.has(id)) refuse(`has two steps with the id "${id}"`);
      earlier.add(id);
    }
  }
  checkReferences(chain.result, "Its result", { earlier, later, refuse });
}

interface Surroundings {
  /** Steps that are done by then. */
  readonly earlier: ReadonlySet<string>;
  readonly later: ReadonlySet<string>;
  readonly refuse: (fault: string, hint?: string) => never;
}

function checkStep(step: SingleStep, around: Surroundings): void {
  const { refuse } = around;
  if (typeof step !== "object" || step === null) refuse("has a step that is not an object");
  const { id, when } = step;
  if (typeof id !== "string" || !idPattern.test(id))
    refuse(`has a step with the id ${JSON.stringify(id)}`, "Use letters, digits, _ and -, a letter first.");
  if ("tool" in step === "run" in step) refuse(`has the step "${id}" with neither or both of tool and run`);
  if ("run" in step && typeof step.run !== "function")
    refuse(`has the step "${id}" whose run is not a function`);
  if ("tool" in step && (typeof step.tool !== "string" || step.tool === ""))
    refuse(`has the step "${id}" without the name of a tool`);
  checkRetry(step, refuse);
  checkReferences(when, `The step "${id}"`, around);
  if (!("tool" in step)) return;
  checkReferences(step.input, `The step "${id}"`, around);
  if (typeof step.fallback === "object") checkReferences(step.fallback.input, `The step "${id}"`, around);
}

function checkRetry({ id, retry }: SingleStep, refuse: Surroundings["refuse"]): void {
  if (retry === undefined) return;
  const { attempts, delayMs = 0 } = retry;
  if (!(Number.isInteger(attempts) && attempts >= 0 && attempts <= 100))
    refuse(`has the step "${id}" with a retry.attempts that is not a whole number from 0 to 100`);
  if (!(Number.isFinite(delayMs) && delayMs >= 0))
    refuse(`has the step "${id}" with a retry.delayMs that is not a number of at least 0`);
}

function checkReferences(value: unknown, owner: string, around: Surroundings): void {
  const { earlier, later, refuse } = around;
  let references: readonly Reference[] = [];
  try {
    references = typeof value === "function" ? [] : referencesIn(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    refuse(`has an invalid reference: ${error.message}`);
  }
  for (const { step, text } of references) {
    if (step === undefined || earlier.has(step)) continue;
    if (later.has(step))
      refuse(
        `is circular: ${owner} takes {{ ${text} }}, but "${step}" is not done before it`,
        "A step can only use results of steps before it; steps of one parallel group cannot use each other's.",
      );
    const near = nearest(step, [...later]);
    refuse(
      `has no step "${step}", from which ${owner} takes {{ ${text} }}`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
  }
}
