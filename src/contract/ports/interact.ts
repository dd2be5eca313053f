import type { AccessDecision } from "../call.js";
import type { ToolPreview } from "../tool.js";

/** A question to the person. */
export interface Question {
  readonly kind: "ask" | "confirm" | "input" | "review";
  readonly message: string;
  readonly title?: string;
  readonly options?: readonly string[];
  readonly default?: string;
  /** The text to review. */
  readonly content?: string;
}

/** The person's answer; which fields are there follows from the question's kind. */
export interface Answer {
  readonly text?: string;
  readonly approved?: boolean;
  readonly action?: "approve" | "edit" | "reject";
  readonly content?: string;
  readonly feedback?: string;
}

/** The call that a question comes from. */
export interface Asker {
  /** Of the question. */
  readonly id: string;
  readonly callId: string;
  /** The call from outside that this one serves, where it is another one. */
  readonly rootCallId?: string | undefined;
  readonly sessionId: string;
  readonly agent: string;
  readonly toolName: string;
  /** When nobody waits for the answer any more. */
  readonly expiresAt?: number | undefined;
}

/** A call that waits for consent. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  /** The call from outside that this one serves, where it is another one. */
  readonly rootCallId?: string | undefined;
  readonly sessionId: string;
  readonly agent: string;
  readonly toolName: string;
  readonly arguments: unknown;
  /** Why it is asked, in words for a person. */
  readonly reason: string;
  readonly decision: AccessDecision;
  readonly preview?: ToolPreview;
  /** The rule that "always" would add, as text. */
  readonly alwaysRule?: string;
  readonly expiresAt: number;
}

export type ApprovalAnswer =
  | { readonly verdict: "once" | "session" | "always"; readonly updatedArguments?: unknown }
  | { readonly verdict: "no"; readonly reason?: string };

/** Asking the person. `null` back ends ("nobody there") refuse at once. */
export interface Interact {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** A back end that can reach a person: terminal, callback, console, MCP elicitation. */
export interface InteractBackend extends Interact {
  readonly name: string;
  /** Whether anybody can be asked now. */
  available(): boolean;
  /** @param asker The call that asks, where one does. */
  ask(question: Question, signal: AbortSignal, asker?: Asker): Promise<Answer>;
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
