import type { Tool } from "../contract/tool.js";
import { takePlain } from "../schema/take-plain.js";
import { resolveMeant, type ResolvedCall } from "./resolve.js";
import { refuseArguments, validate, validateInput, type ValidatedCall } from "./validate.js";

/** The tool that was called, and how it gives back the result of the tool that it meant. */
export interface AnsweredAs {
  readonly tool: Tool;
  /** The input of the tool that was called. */
  readonly input: unknown;
  readonly answer: (result: unknown) => unknown;
}

/** Check the arguments; if they mean a call of another tool, as its tool says, that call counts from here on. */
export function validateMeant(resolved: ResolvedCall): ValidatedCall {
  const call = validate(resolved);
  return call.entry.tool.meansCall === undefined ? call : followMeaning(call);
}

function followMeaning(call: ValidatedCall): ValidatedCall {
  const { tool } = call.entry;
  const meant = tool.meansCall?.(call.input);
  if (meant === undefined) return call;
  const resolved = resolveMeant(call.resolved, meant.name);
  const plain = takePlain(meant.arguments, call.state.parts.plainLimits);
  if (!plain.ok) throw refuseArguments(resolved, plain.issues, "ARGUMENTS_UNSAFE");
  const { answer = (result) => result } = meant;
  call.state.answeredAs = { tool, input: call.input, answer };
  return validateInput(resolved, plain.value);
}
