import { ToolInternalError, ToolValidationError } from "../contract/errors.js";
import type { Resource } from "../contract/resources.js";
import type { ArgumentIssue } from "../schema/compile-schema.js";
import { takePlain } from "../schema/take-plain.js";
import { toLocks } from "../scheduler/locks.js";
import type { ResolvedCall, ValidatedCall } from "./call.js";

/** Copy the arguments to plain data, check them by the schema, and ask the tool what it will touch. */
export function validate(call: ResolvedCall): ValidatedCall {
  const plain = takePlain(call.rawArguments ?? {}, call.parts.plainLimits);
  if (!plain.ok) throw refusal(call, plain.issues, "ARGUMENTS_UNSAFE");
  return validateInput(call, plain.value);
}

/** Check plain data by the schema; also for input that a tool or a person changed. */
export function validateInput(call: ResolvedCall, plain: unknown): ValidatedCall {
  const checked = call.entry.input.check(plain);
  if (!checked.ok) throw refusal(call, checked.issues, "ARGUMENTS_INVALID");
  call.input = checked.value;
  claimResources(call);
  return call as ValidatedCall;
}

function claimResources(call: ResolvedCall): void {
  const { tool } = call.entry;
  const resources = tool.resources === undefined ? undefined : askResources(call);
  const { exclusive } = call.settings;
  if (resources === undefined && !exclusive) return;
  call.reads = resources?.reads ?? [];
  const writes = resources?.writes ?? [];
  call.writes = exclusive ? [...writes, { lock: `tool:${call.entry.name}` } satisfies Resource] : writes;
  const own = (resource: Resource): Resource => ownEnv(resource, call.session.id);
  call.locks = toLocks({ reads: call.reads.map(own), writes: call.writes.map(own) }, call.parts.world.canonicalPath);
}

/** Environments belong to sessions: two sessions that set the same name do not meet. */
function ownEnv(resource: Resource, sessionId: string): Resource {
  return "env" in resource ? { env: `${sessionId}\0${resource.env}` } : resource;
}

function askResources(call: ResolvedCall) {
  try {
    return call.entry.tool.resources?.(call.input);
  } catch (cause) {
    throw new ToolInternalError(`"${call.entry.name}" could not say what it will touch: ${String(cause)}`, {
      cause,
      hint: "The tool's resources() must not throw for valid input.",
    });
  }
}

function refusal(call: ResolvedCall, issues: readonly ArgumentIssue[], code: "ARGUMENTS_INVALID" | "ARGUMENTS_UNSAFE") {
  const faults = issues.map((issue) => issue.message).join("; ");
  return new ToolValidationError(`Invalid arguments for "${call.entry.name}": ${faults}`, {
    code,
    toolName: call.entry.name,
    hint: "Correct every argument that is named and call again.",
    details: { issues },
  });
}
