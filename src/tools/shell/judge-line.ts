import { ToolValidationError } from "../../contract/errors.js";
import type { ShellFacts } from "../../contract/tool.js";
import { hostsOf, type NetworkArgument } from "./network-argument.js";

/** The arguments that count besides the line. */
interface LineInput {
  readonly background: boolean;
  readonly network: NetworkArgument;
}

/**
 * Whether a line is proven to only read: it then runs at the same time as others, in a workspace that it cannot
 * write. A line that nothing is known of counts as one that writes.
 */
export function isReadOnly({ background, network }: LineInput, facts: ShellFacts | undefined): boolean {
  return !background && hostsOf(network).length === 0 && facts?.readOnly === true;
}

/** A service never ends: in the foreground it would only run until its time limit. */
export function refuseService({ background }: LineInput, facts: ShellFacts | undefined): void {
  const service = background ? undefined : facts?.service;
  if (service === undefined) return;
  throw new ToolValidationError(`"${service}" starts a service that does not end by itself.`, {
    code: "VALUE_INVALID",
    hint: "Set background to true, then look at it with shell_output and stop it with shell_kill.",
    details: { argument: "background", service },
  });
}
