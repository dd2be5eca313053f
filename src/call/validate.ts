import { ToolInternalError, ToolValidationError } from "../contract/errors.js";
import type { Resource, Resources } from "../contract/resources.js";
import { messageOf } from "../contract/message-of.js";
import type { ArgumentIssue } from "../schema/compile-schema.js";
import { toLocks } from "../scheduler/locks.js";
import type { ResolvedCall, ValidatedCall } from "./call.js";
import { analysisOf } from "./shell-commands.js";

/** Copy the arguments to plain data, check them by the schema, and ask the tool what it will touch. */
export function validate(call: ResolvedCall): ValidatedCall {
  const { plain } = call;
  if (!plain.ok) throw refusal(call, plain.issues, "ARGUMENTS_UNSAFE");
  return validateInput(call, plain.value);
}

/** Check plain data by the schema; also for input that a tool or a person changed. */
export function validateInput(call: ResolvedCall, plain: unknown): ValidatedCall {
  call.plainInput = plain;
  const checked = call.entry.input.check(plain);
  if (!checked.ok) throw refusal(call, checked.issues, "ARGUMENTS_INVALID");
  call.input = checked.value;
  claimResources(call);
  return call as ValidatedCall;
}

/** Ask the tool what the call will touch, and what must be locked for it. */
export function claimResources(call: ResolvedCall): void {
  const { exclusive } = call.settings;
  if (call.entry.tool.resources === undefined && !exclusive) {
    // It may have had some, before its tool was replaced.
    if (call.locks.length > 0) call.reads = call.writes = call.locks = [];
    return;
  }
  const { reads, writes } = askResources(call);
  call.reads = reads;
  call.writes = exclusive ? [...writes, { lock: `tool:${call.entry.name}` } satisfies Resource] : writes;
  const own = (resource: Resource): Resource => ownEnv(resource, call.session.id);
  call.locks = toLocks(
    { reads: call.reads.map(own), writes: call.writes.map(own) },
    { canonicalPath: call.parts.world.canonicalPath, sessionId: call.session.id },
  );
}

/** Environments belong to sessions: two sessions that set the same name do not meet. */
function ownEnv(resource: Resource, sessionId: string): Resource {
  return "env" in resource ? { ...resource, env: `${sessionId}\0${resource.env}` } : resource;
}

/** A tool that does not say clearly what it touches must not pass for one that touches nothing. */
function askResources(call: ResolvedCall): Required<Resources> {
  try {
    const resources: unknown =
      call.entry.tool.resources?.(call.input, analysisOf(call as ValidatedCall)) ?? {};
    if (typeof resources !== "object" || resources === null || "then" in resources)
      throw new TypeError("it gave no { reads, writes }");
    const { reads = [], writes = [] } = resources as Resources;
    return { reads: toList(reads), writes: toList(writes) };
  } catch (cause) {
    throw new ToolInternalError(
      `"${call.entry.name}" could not say what it will touch: ${messageOf(cause)}`,
      {
        cause,
        hint: "The tool's resources() must return { reads, writes } at once, and must not throw for valid input.",
      },
    );
  }
}

function toList(list: unknown): Resource[] {
  if (!Array.isArray(list)) throw new TypeError("reads and writes must be lists");
  return list.map((resource: unknown) => {
    if (typeof resource !== "object" || resource === null) throw new TypeError("an entry is no object");
    return { ...resource } as Resource;
  });
}

function refusal(
  call: ResolvedCall,
  issues: readonly ArgumentIssue[],
  code: "ARGUMENTS_INVALID" | "ARGUMENTS_UNSAFE",
) {
  const faults = issues.map((issue) => issue.message).join("; ");
  return new ToolValidationError(`Invalid arguments for "${call.entry.name}": ${faults}`, {
    code,
    toolName: call.entry.name,
    hint: "Correct every argument that is named and call again.",
    details: { issues },
  });
}
