import * as z from "zod";
import { roles } from "../contract/ports/access.js";

/** Of the messages between fronts and workers. Programs one version apart work together. */
export const protocolVersion = 3;
/** The first version whose workers read one signature for several calls. */
export const batchVersion = 3;

/** Those that a busy worker takes first come first. */
export const callPriorities = ["high", "normal", "low"] as const;
export type CallPriority = (typeof callPriorities)[number];

/** Whether messages of that version can be read. */
export function speaksVersion(version: number, own: number = protocolVersion): boolean {
  return Math.abs(version - own) <= 1;
}

/** A worker that does not renew its lease for this long has lost it. */
export const leaseMs = 5000;
export const renewEveryMs = 1000;
/** A call that no worker has begun within this time is not run any more. */
export const startWithinMs = 60_000;
/** Messages are signed when they are sent; what is older was sent again by somebody else. */
export const maxAgeMs = 60_000;
/** The stream drops a message with an id that it had within this time, so it must be longer than `maxAgeMs`. */
export const duplicateWindowMs = 120_000;
/** One signature is for at most so many calls: each of them carries the digests of all. */
export const maxBatch = 16;
/** Larger messages go through the object store. */
export const maxInlineBytes = 512 * 1024;
/** No message is larger than this, whatever carries it. */
export const maxMessageBytes = 64 * 1024 * 1024;

export const headerNames = {
  version: "Tenon-Version",
  front: "Tenon-Front",
  signature: "Tenon-Signature",
  batch: "Tenon-Batch",
  object: "Tenon-Object",
} as const;

/** Names of one tenant on the bus; a permission of NATS can be given for each prefix. */
export function namesOf(tenant: string) {
  const root = `tenon.${tenant}`;
  const upper = `TENON_${tenant}`;
  return {
    root,
    calls: `${upper}_CALLS`,
    /** Calls of one priority; normal ones have no word for it. */
    callsOf: (workspace: string, priority: CallPriority = "normal") =>
      priority === "normal" ? `${root}.calls.${workspace}.*` : `${root}.calls.${workspace}.${priority}.*`,
    call: (workspace: string, session: string, priority: CallPriority = "normal") =>
      `${root}.calls.${workspace}.${priority === "normal" ? "" : `${priority}.`}${session}`,
    allCalls: `${root}.calls.>`,
    outcomes: `${upper}_OUTCOMES`,
    allOutcomes: `${root}.front.*.outcome.*`,
    outcome: (front: string, callId: string) => `${root}.front.${front}.outcome.${callId}`,
    toFront: (front: string, what: "progress" | "ask" | "note", callId: string) =>
      `${root}.front.${front}.${what}.${callId}`,
    front: (front: string) => `${root}.front.${front}.>`,
    worker: (worker: string, verb: string) => `${root}.worker.${worker}.${verb}`,
    cancel: (callId: string) => `${root}.cancel.${callId}`,
    allCancels: `${root}.cancel.*`,
    events: (workspace: string) => `${root}.events.${workspace}`,
    allEvents: `${root}.events.*`,
    ended: (mcpSession: string) => `${root}.ended.${mcpSession}`,
    members: `tenon_${tenant}_members`,
    workspaces: `tenon_${tenant}_workspaces`,
    sessions: `tenon_${tenant}_sessions`,
    objects: `tenon_${tenant}_objects`,
    inbox: `_INBOX_${tenant}`,
  };
}

export type Names = ReturnType<typeof namesOf>;

const token = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const globs = z.array(z.string()).max(1000).optional();

/** Whom a session works for, as the front found out. */
const sessionSchema = z.object({
  id: token,
  agent: z.string().max(200).optional(),
  userId: z.string().max(200).optional(),
  principal: z.string().max(200).optional(),
  role: z.enum(roles).optional(),
  endpoint: z.string().max(64).optional(),
  priority: z.enum(callPriorities).optional(),
  toolset: z.string().max(200).optional(),
  servers: globs,
  prompts: globs,
  native: z.array(z.enum(["anthropic", "openai"])).optional(),
  listing: z.enum(["all", "compact", "search"]).optional(),
  include: globs,
  exclude: globs,
});
export type SessionFacts = z.output<typeof sessionSchema>;

/** What is known of the MCP host behind a call. */
const clientSchema = z.object({
  info: z.record(z.string(), z.unknown()).optional(),
  supports: z.object({ elicitForm: z.boolean(), elicitUrl: z.boolean(), sample: z.boolean() }),
  capabilities: z.record(z.string(), z.unknown()).optional(),
  parks: z.boolean().optional(),
  logLevel: z.string().max(40).optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  extras: z
    .object({ params: z.record(z.string(), z.unknown()).optional(), bare: z.boolean().optional() })
    .optional(),
});
export type ClientFacts = z.output<typeof clientSchema>;

const signed = {
  tenant: z.string().max(32),
  workspace: z.string().max(64),
  /** By the server's clock, in ms. */
  issuedAt: z.number(),
};

/** A call on its way to the owner of its workspace. */
export const callSchema = z.object({
  ...signed,
  callId: z.string().regex(/^call_[A-Za-z0-9_]{1,100}$/),
  front: token,
  /** Who answers shows that it has read the call. */
  proof: z.string().length(22),
  session: sessionSchema,
  client: clientSchema.optional(),
  name: z.string().max(500),
  arguments: z.unknown().optional(),
  idempotencyKey: z.string().max(500).optional(),
  taskId: z.string().max(200).optional(),
  timeoutMs: z.number().int().min(1).optional(),
  reports: z.boolean().optional(),
});
export type CallMessage = z.output<typeof callSchema>;

/** How a call ended. */
export const outcomeSchema = z.object({
  callId: z.string(),
  proof: z.string(),
  worker: token,
  envelope: z.looseObject({ callId: z.string(), toolName: z.string(), success: z.boolean() }),
  wrapped: z.boolean(),
  maxChars: z.number(),
});
export type OutcomeMessage = z.output<typeof outcomeSchema>;

/** Something that a call says while it runs. */
export const noteSchema = z.object({
  callId: z.string(),
  proof: z.string(),
  progress: z.record(z.string(), z.unknown()).optional(),
  method: z.string().max(200).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** The caller does not want the answer any more, or is gone. */
export const cancelSchema = z.object({
  proof: z.string().length(22),
  reason: z.string().max(1000).optional(),
  gone: z.boolean().optional(),
});
export type CancelMessage = z.output<typeof cancelSchema>;

/** A request of a front that its worker answers at once: lists, resources, the console's API. */
export const askSchema = z.object({
  ...signed,
  id: token,
  front: token.optional(),
  verb: z.enum(["claim", "release", "drain", "session", "http", "waiting", "taken"]),
  session: sessionSchema.optional(),
  /** What to do, for `session`: the name of a method and its arguments. */
  method: z.string().max(100).optional(),
  args: z.array(z.unknown()).max(10).optional(),
  http: z
    .object({
      method: z.string().max(10),
      path: z.string().max(8192),
      body: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      admission: z.record(z.string(), z.unknown()),
    })
    .optional(),
  source: z
    .object({
      template: z.string().max(500).optional(),
      git: z.string().max(2000).optional(),
      ref: z.string().max(200).optional(),
      atEnd: z.enum(["keep", "remove"]).optional(),
    })
    .optional(),
});
export type AskMessage = z.output<typeof askSchema>;

export const answerSchema = z.object({
  value: z.unknown().optional(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      status: z.number().optional(),
    })
    .optional(),
});
export type AnswerMessage = z.output<typeof answerSchema>;

/** What a worker says of a call that it has taken. Earlier ones of this version only said `true`. */
export const takenSchema = z.union([
  z.boolean(),
  z.object({
    waitedForPersonMs: z.number().nonnegative(),
    /** It had not begun, and never will. */
    isTakenBack: z.boolean().optional(),
  }),
]);
export type TakenCall = Exclude<z.output<typeof takenSchema>, boolean>;

/** A worker or front that is there, renewed each second. */
export const memberSchema = z.object({
  kind: z.enum(["worker", "front"]),
  id: token,
  /** Another number with each start. */
  incarnation: z.string(),
  protocol: z.number().int(),
  version: z.string(),
  host: z.string(),
  labels: z.array(z.string()).optional(),
  slots: z.number().int().optional(),
  running: z.number().int().optional(),
  draining: z.boolean().optional(),
  /** Another worker has found its lease over; it has to begin again. */
  fenced: z.boolean().optional(),
  url: z.string().optional(),
  /** When a page of this front was last open, by the server's time. */
  pageSeenAt: z.number().optional(),
});
export type Member = z.output<typeof memberSchema>;

/** Who owns a workspace. */
export const workspaceSchema = z.object({
  /** "" where nobody does now. */
  worker: z.string(),
  incarnation: z.string(),
  epoch: z.number(),
  /** The worker on whose own disk it lies. */
  home: z.string().optional(),
  /** The shared volume that it lies on. */
  volume: z.string().optional(),
  /** How often a worker took it over from one that was gone. */
  takeovers: z.number().int().optional(),
  atEnd: z.enum(["keep", "remove"]).optional(),
});
export type WorkspaceEntry = z.output<typeof workspaceSchema>;
