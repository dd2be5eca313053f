import { errorCodes, type ErrorCode } from "../contract/error-codes.js";
import { ToolPermissionError, ToolSecurityError, type ToolError } from "../contract/errors.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type { Resource } from "../contract/resources.js";
import { whitelistOf } from "./command-paths.js";
import type { ValidatedCall } from "./validate.js";

/** Return what the guards refuse regardless of the rules. Checked first, so that nobody is asked in vain. */
export function refusedByGuards(call: ValidatedCall): ToolError | undefined {
  return (
    refusedAmong(call, call.reads, "read") ??
    refusedAmong(call, call.writes, "write") ??
    refusedByWhitelist(call)
  );
}

/** The paths that a command names, where only some may be used; the sandbox hides the others from what it runs. */
export function refusedByWhitelist(call: ValidatedCall): ToolError | undefined {
  const analysis = call.shell?.analysis;
  const whitelist = analysis === undefined ? undefined : whitelistOf(call);
  if (analysis === undefined || whitelist === undefined) return undefined;
  const { reads, writes, changes } = analysis;
  const outside =
    reads.find((path) => whitelist(path) === "outside") ??
    [...writes, ...changes].find((path) => whitelist(path) !== "inside");
  if (outside === undefined) return undefined;
  const root = call.state.parts.world.root?.();
  const shown =
    root !== undefined && outside.startsWith(`${root}/`) ? outside.slice(root.length + 1) : outside;
  return new ToolSecurityError(`"${shown}" is outside the paths that this call is allowed.`, {
    code: "PATH_OUTSIDE",
    toolName: call.entry.name,
    hint: "Use the allowed paths only, or ask a person to add this one to allowedPaths.",
    details: { rule: "guard:PATH_OUTSIDE", source: "guard" },
  });
}

function refusedAmong(
  call: ValidatedCall,
  resources: readonly Resource[],
  access: "read" | "write",
): ToolError | undefined {
  for (const resource of resources) {
    const verdict = verdictOn(call, resource, access);
    if (verdict === undefined || verdict.allowed) continue;
    const options = {
      code: verdict.code,
      toolName: call.entry.name,
      hint: errorCodes[verdict.code as ErrorCode].hint,
      details: { rule: `guard:${verdict.code}`, source: "guard" },
    };
    return "host" in resource
      ? new ToolPermissionError(verdict.reason, options)
      : new ToolSecurityError(verdict.reason, options);
  }
  return undefined;
}

function verdictOn(
  call: ValidatedCall,
  resource: Resource,
  access: "read" | "write",
): PathVerdict | undefined {
  const { world } = call.state.parts;
  if ("path" in resource) return world.checkPath(resource.path, access);
  if ("tree" in resource) return world.checkPath(resource.tree, access);
  // A command may name a server on this machine; a request of a tool never leads there by a name alone.
  const isNamed = call.entry.tool.category === "shell";
  return "host" in resource ? world.checkHost(resource.host, isNamed) : undefined;
}
