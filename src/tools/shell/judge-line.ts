import { analyseCommand } from "../../command/analyse-command.js";
import type { CommandAnalysis } from "../../command/command-analysis.js";
import { ToolValidationError } from "../../contract/errors.js";

/** The arguments that decide what a line does. */
export interface LineInput {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly background?: boolean | undefined;
  readonly network?: boolean | undefined;
}

/**
 * Where the workspace is does not matter for what is claimed: a line that names it by its absolute path
 * counts as one that writes, which is only slower.
 */
const anyWorkspace = "/workspace";

/** Take a line apart. */
export function analyseLine({ command, cwd, env }: LineInput): CommandAnalysis {
  return analyseCommand(command, { workspace: anyWorkspace, cwd, env: Object.keys(env ?? {}) });
}

/** Whether a line is proved to read only: it then runs beside others, over a workspace that it cannot write. */
export function isReadOnlyLine(input: LineInput): boolean {
  return input.background !== true && input.network !== true && analyseLine(input).readOnly;
}

/** A service never ends: in the foreground it would only run into its time limit. */
export function refuseService(input: LineInput): void {
  if (input.background === true) return;
  const { service } = analyseLine(input);
  if (service === undefined) return;
  throw new ToolValidationError(`"${service}" starts a service that does not end by itself.`, {
    code: "VALUE_INVALID",
    hint: "Set background to true, then look at it with shell_output and stop it with shell_kill.",
    details: { argument: "background", service },
  });
}
