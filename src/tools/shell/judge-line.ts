import { ToolValidationError } from "../../contract/errors.js";
import type { ShellFacts } from "../../contract/tool.js";
import type { NetworkArgument } from "./network-argument.js";

/** The arguments that count besides the line. */
interface LineInput {
  readonly background: boolean;
  readonly network: NetworkArgument;
  readonly pty?: boolean | undefined;
}

/**
 * Whether a line is proven to only read: it then runs at the same time as others, in a workspace that it cannot
 * write. A line that nothing is known of counts as one that writes.
 */
export function isReadOnly({ background, network }: LineInput, facts: ShellFacts | undefined): boolean {
  return (
    !background &&
    (network === false || (Array.isArray(network) && network.length === 0)) &&
    facts?.readOnly === true
  );
}

/** Refuse a line that would only run into its time limit: a service, or a program that waits for a person. */
export function refuseEndless(call: LineInput, facts: ShellFacts | undefined): void {
  refuseService(call, facts);
  refuseInteractive(call, facts);
}

/** A service never ends: in the foreground it would only run until its time limit. */
function refuseService({ background }: LineInput, facts: ShellFacts | undefined): void {
  const service = background ? undefined : facts?.service;
  if (service === undefined) return;
  throw new ToolValidationError(`"${service}" starts a service that does not end by itself.`, {
    code: "VALUE_INVALID",
    hint: "Set background to true, then look at it with shell_output and stop it with shell_kill.",
    details: { argument: "background", service },
  });
}

/** Without a terminal, these pass their input on like cat. */
const pagers = new Set(["less", "more", "most", "man"]);

function refuseInteractive({ background, pty = false }: LineInput, facts: ShellFacts | undefined): void {
  const program = facts?.interactive;
  if (program === undefined || (pty ? background : pagers.has(program))) return;
  throw new ToolValidationError(
    `"${program}" waits for a person at a terminal${pty ? ", and nobody can type into a command in the foreground" : ""}.`,
    {
      code: "VALUE_INVALID",
      hint: "Use its options for non-interactive use, or pass its input as stdin. To operate it, set background and pty to true, then type with shell_input and look at it with shell_output.",
      details: { argument: pty ? "background" : "pty", program },
    },
  );
}
