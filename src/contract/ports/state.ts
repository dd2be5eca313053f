import type { Json } from "../json.js";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "./interact.js";

/** A rule of the policy that a person asked to remember. */
export interface StoredRule {
  readonly id: string;
  readonly rule: Json;
  readonly createdAt: number;
}

/** Remembered rules, oldest first. */
export interface RuleStore {
  list(): Promise<readonly StoredRule[]>;
  /** Keep a rule; an id that exists already is replaced. @param id @default a new id */
  add(rule: Json, id?: string): Promise<StoredRule>;
  remove(id: string): Promise<boolean>;
}

/** What a named session leaves behind for the next process. */
export interface SessionState {
  readonly env: Readonly<Record<string, string>>;
  readonly data: Json;
}

/** Sessions that outlive their process. */
export interface SessionStore {
  load(name: string): Promise<SessionState | undefined>;
  save(name: string, state: SessionState): Promise<void>;
  remove(name: string): Promise<boolean>;
  list(): Promise<readonly { readonly name: string; readonly updatedAt: number }[]>;
}

/** A request for consent and what became of it. */
export interface StoredApproval {
  readonly request: ApprovalRequest;
  readonly openedAt: number;
  /** Whether the process that asked is this one, another that runs, one that is gone, or one that cannot be seen. */
  readonly owner: "self" | "alive" | "gone" | "unknown";
  readonly answer?: ApprovalAnswer;
  readonly resolvedAt?: number;
}

/**
 * Requests for consent: one that its process did not live to see answered ends as denied. Processes on the same
 * state answer each other's requests here; of two answers one counts.
 */
export interface ApprovalStore {
  open(request: ApprovalRequest): Promise<void>;
  /** Ask again under the same id: the answer that was there could not be used. */
  reopen(request: ApprovalRequest): Promise<void>;
  /** Record the answer; `false` where the request is unknown or was answered before. */
  resolve(id: string, answer: ApprovalAnswer): Promise<boolean>;
  /**
   * Add one consent to a request that needs several, each principal once; with the last one it is answered. Returns the
   * request as it is then; `undefined` where it is unknown or was answered before.
   */
  approve(id: string, approver: Approver): Promise<StoredApproval | undefined>;
  /** Deny what this process, or one that is gone, left open; requests of living ones stay. */
  expireAll(reason: string): Promise<number>;
  get(id: string): Promise<StoredApproval | undefined>;
  pending(): Promise<readonly StoredApproval[]>;
}

/** A server with a console on this state. */
export interface ConsolePresence {
  readonly id: string;
  /** Where its pages are, without a secret. */
  readonly url: string;
  /** How many pages are open. */
  readonly pages: number;
  /** When a page was last open. */
  readonly pageSeenAt: number;
  readonly seenAt: number;
}

/** Which consoles run on this state, so that other processes know whether somebody can be asked there. */
export interface ConsoleStore {
  keep(console: ConsolePresence): Promise<void>;
  remove(id: string): Promise<void>;
  list(): Promise<readonly ConsolePresence[]>;
}

/** A workspace whose own configuration a person trusts, as it was then. */
export interface TrustedWorkspace {
  readonly workspace: string;
  readonly digest: string;
  readonly trustedAt: number;
}

/** Which workspaces the person trusts; kept for the user, not per workspace. */
export interface TrustStore {
  isTrusted(workspace: string, digest: string): Promise<boolean>;
  trust(workspace: string, digest: string): Promise<void>;
  distrust(workspace: string): Promise<boolean>;
  list(): Promise<readonly TrustedWorkspace[]>;
}
