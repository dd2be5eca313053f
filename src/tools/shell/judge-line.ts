import { ToolValidationError } from "../../contract/errors.js";
import type { ShellFacts } from "../../contract/tool.js";

/** The arguments that count besides the line. */
export interface LineInput {
  readonly background: boolean;
  readonly network: boolean;
}

/** Remembers what is known of the line of a call from its claim to its run. */
export interface LineJudge {
  /** What the analysis found. */
  note(input: LineInput, facts: ShellFacts | undefined): void;
  /** Whether it is proved to read only: it then runs beside others, over a workspace that it cannot write. */
  isReadOnly(input: LineInput): boolean;
  /** A service never ends: in the foreground it would only run into its time limit. */
  refuseService(input: LineInput): void;
}

/** A judge of lines; one that nothing was noted of counts as one that writes. */
export function createLineJudge(): LineJudge {
  const known = new WeakMap<LineInput, ShellFacts>();
  return {
    note(input, facts) {
      if (facts !== undefined) known.set(input, facts);
    },
    isReadOnly: (input) => !input.background && !input.network && known.get(input)?.readOnly === true,
    refuseService(input) {
      const service = input.background ? undefined : known.get(input)?.service;
      if (service === undefined) return;
      throw new ToolValidationError(`"${service}" starts a service that does not end by itself.`, {
        code: "VALUE_INVALID",
        hint: "Set background to true, then look at it with shell_output and stop it with shell_kill.",
        details: { argument: "background", service },
      });
    },
  };
}
