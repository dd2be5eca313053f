import type { AccessDecision } from "../call.js";
import type { SecurityLevel, ToolPreview } from "../tool.js";

/** The ways on which a person can consent. */
export const approvalChannels = ["console", "terminal", "host", "callback", "api"] as const;

/**
 * `console`: a page of the web console. `terminal`: the terminal that Tenon runs in. `host`: a form that an MCP
 * host shows. `callback`: a function of the program that embeds Tenon. `api`: a program with the server's token.
 */
export type ApprovalChannel = (typeof approvalChannels)[number];

/** A console that a person can be sent to. */
export interface ConsoleReach {
  /** Where its pages are, without a secret. */
  readonly url: string;
  /** When one of its pages was last open: now, where one is. */
  readonly pageSeenAt: number;
}

/** The program that a session works for, as it describes itself: untrusted input that is only displayed. */
export interface ClientInfo {
  /** At most 200 characters. */
  readonly name: string;
  readonly version?: string | undefined;
  readonly title?: string | undefined;
}

/** A call that waits for consent. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  /** The call from outside that this one serves, where it is another one. */
  readonly rootCallId?: string | undefined;
  readonly sessionId: string;
  readonly taskId?: string | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  /** The program that made the call, such as an MCP host. */
  readonly client?: ClientInfo | undefined;
  readonly toolName: string;
  /** How much harm the tool can do. */
  readonly risk: SecurityLevel;
  readonly arguments: unknown;
  /** Why it is asked, as a sentence for a person. */
  readonly reason: string;
  readonly decision: AccessDecision;
  readonly preview?: ToolPreview;
  /** The command has run on a layer, and the question is about its changes: arguments cannot be changed any more. */
  readonly afterRun?: boolean | undefined;
  /** The rule that "always" would add, as text; absent where "always" is not offered. */
  readonly alwaysRule?: string;
  /** How many people must consent, where it is more than one; who has, so far. */
  readonly required?: number | undefined;
  readonly approvedBy?: readonly Approver[] | undefined;
  /** On which channels it can be answered. */
  readonly channels: readonly ApprovalChannel[];
  /** Why the arguments of the last answer could not be used: it is asked again. */
  readonly fault?: string | undefined;
  readonly requestedAt: number;
  readonly expiresAt: number;
}

/** Somebody who consented to a call that several people must consent to. */
export interface Approver {
  /** The name of a user, "local" for the person who runs Tenon. */
  readonly principal: string;
  readonly channel: ApprovalChannel;
  readonly person?: string | undefined;
  readonly at: number;
}

/** Who answered, and where. */
export interface ApprovalAnswerer {
  readonly channel: ApprovalChannel;
  /** The name of a user. @default the person who runs Tenon */
  readonly principal?: string | undefined;
  /** The person, where the channel knows who it is. */
  readonly person?: string | undefined;
  /** The program that carried the answer, where it is not Tenon itself. */
  readonly client?: ClientInfo | undefined;
}

/** The answer of a person to a request for consent. */
export type ApprovalAnswer = (
  | { readonly verdict: "once" | "session" | "always"; readonly updatedArguments?: unknown }
  | { readonly verdict: "no"; readonly reason?: string | undefined }
) & {
  /** @default the channel that was asked */
  readonly by?: ApprovalAnswerer | undefined;
  /** All who consented, where several had to. */
  readonly approvedBy?: readonly Approver[] | undefined;
};

/** The rule that an answer left behind. */
export interface ApprovalRule {
  readonly id: string;
  readonly text: string;
  /** `session`: for the session of the call; `remembered`: for good. */
  readonly source: "session" | "remembered";
}

/** How a request for consent ended, for events, the log and the API. */
export interface ApprovalResolution {
  readonly id: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly toolName: string;
  /** `cancelled`: the call ended or its caller is gone, so nobody waits for an answer any more. */
  readonly verdict: ApprovalAnswer["verdict"] | "expired" | "cancelled";
  readonly reason?: string | undefined;
  /** Where it was answered; absent where nobody answered. */
  readonly channel?: ApprovalChannel | undefined;
  readonly person?: string | undefined;
  /** All who consented, where several had to. */
  readonly approvedBy?: readonly Approver[] | undefined;
  readonly client?: ClientInfo | undefined;
  readonly requestedAt: number;
  readonly resolvedAt: number;
  /** How long the call waited for the answer. */
  readonly waitedMs: number;
  /** The arguments as they were asked about and as the person changed them, secrets taken out. */
  readonly changed?: { readonly from: unknown; readonly to: unknown } | undefined;
  readonly rule?: ApprovalRule | undefined;
}
