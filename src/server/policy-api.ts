import type { CommandVerdict } from "../policy/explain-call.js";

/* What the server says about the policy; part of `api.ts`. */

/** `GET /api/policy`; `POST /api/policy/explain` with `{ tool, arguments }`; `DELETE /api/policy/rules/:id` of a remembered one, or one of a session. */
export interface PolicyView {
  readonly mode: string;
  readonly rules: readonly {
    readonly id: string;
    readonly source: string;
    readonly behavior: string;
    /** The rule itself. */
    readonly conditions: Readonly<Record<string, unknown>>;
    /** The rule in words. */
    readonly text: string;
    /** The session that it was given for. */
    readonly sessionId?: string | undefined;
    readonly revocable: boolean;
  }[];
}
export interface ExplainView {
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
  readonly hint?: string | undefined;
  readonly considered: readonly {
    readonly rule: string;
    readonly source: string;
    readonly behavior: string;
    readonly text: string;
  }[];
  readonly commands: readonly Pick<CommandVerdict, "command" | "decision" | "reason">[];
}

/** `POST /api/policy/simulate` with `{ rules, minutes?, limit? }`: which past calls these rules would decide differently. */
export type { Simulation as SimulationView } from "../runtime/replay/simulate-rules.js";
