import type {
  ApprovalAnswer,
  ApprovalChannel,
  ApprovalRequest,
  ClientInfo,
  ConsoleReach,
} from "./approval.js";

export { approvalChannels } from "./approval.js";
export type {
  ApprovalAnswer,
  ApprovalAnswerer,
  ApprovalChannel,
  ApprovalRequest,
  ApprovalResolution,
  ApprovalRule,
  Approver,
  ClientInfo,
  ConsoleReach,
} from "./approval.js";

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
  readonly taskId?: string | undefined;
  readonly client?: ClientInfo | undefined;
  readonly toolName: string;
  /** When nobody waits for the answer any more. */
  readonly expiresAt?: number | undefined;
}

/** Asking the person. Without a back end, questions are refused immediately. */
export interface Interact {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** A back end that can reach a person: terminal, callback, console, MCP elicitation. */
export interface InteractBackend extends Interact {
  readonly name: string;
  /** The channel that its answers count for. @default "callback" */
  readonly channel?: ApprovalChannel | undefined;
  /** For the back end of a console: where it is, `undefined` where it is not open. Such a back end answers by the desk. */
  reach?(): ConsoleReach | undefined;
  /** Whether anybody can be asked now. */
  available(): boolean;
  /** @param asker The call that asks, where one does. */
  ask(question: Question, signal: AbortSignal, asker?: Asker): Promise<Answer>;
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}
