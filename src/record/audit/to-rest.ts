import { hashOf } from "./line.js";
import type { AccessDecision } from "../../contract/call.js";
import type { AuditOutcome } from "../../contract/ports/audit.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type { CallRecord } from "../../contract/ports/recorder.js";

/** What turns calls into lines. */
export interface RestMaker {
  /** The line behind its place; a promise only where something large is kept aside first. */
  toRest(record: CallRecord): string | Promise<string>;
}

export interface RestOptions {
  readonly redact: <T>(value: T) => T;
  /** Where large contents go. */
  readonly aside: () => BlobStore;
  /** `false`: results only by their digest. */
  readonly keepResults: boolean;
  /** Makes what nobody can guess. */
  readonly salt: () => string;
  /** Also on disk before the record is written. */
  readonly durable: boolean;
}

/** Contents with more characters lie beside the log. */
export const inlineChars = 8 * 1024;
/** Of contents with more bytes only the digest is kept. */
const asideBytes = 4 * 1024 * 1024;

/** Make lines of calls, secrets taken out. */
export function createRestMaker(options: RestOptions): RestMaker {
  const { redact, salt } = options;
  const decisionText = createDecisionText(redact);
  const whoText = createWhoText();
  return {
    toRest(record) {
      const { envelope } = record;
      const { error } = envelope;
      const args = textOf(redact(record.arguments));
      const result = error === undefined ? textOf(redact(envelope.result)) : undefined;
      const start = startOf(record) + whoText(record) + decisionText(envelope.metadata.decision);
      const end = `${error === undefined ? "" : `,"error":${textOf(error)}`},"salt":"${salt()}"}`;
      const small = (text: string | undefined): boolean => text === undefined || text.length <= inlineChars;
      const keepResult = options.keepResults || result === undefined;
      if (small(args) && small(result) && keepResult)
        return start + field("arguments", args) + field("result", result) + end;
      const parts = [
        placed("arguments", args, options),
        keepResult ? placed("result", result, options) : Promise.resolve(digested("result", result ?? "")),
      ];
      return Promise.all(parts).then((texts) => start + texts.join("") + end);
    },
  };
}

function startOf({ envelope, parentCallId }: CallRecord): string {
  const { callId, startedAt, durationMs, error } = envelope;
  const parent = parentCallId === undefined ? "" : `,"parentCallId":${JSON.stringify(parentCallId)}`;
  const took = Math.round(durationMs * 1000) / 1000;
  return `,"callId":${JSON.stringify(callId)},"time":${startedAt},"durationMs":${took},"outcome":"${outcomeOf(error)}"${parent}`;
}

/** Who called what mostly stays the same from call to call. */
function createWhoText(): (record: CallRecord) => string {
  let last: Who | undefined;
  let text = "";
  return (record) => {
    if (last !== undefined && isSame(last, record)) return text;
    last = whoOf(record);
    text = `,${JSON.stringify(last).slice(1, -1)}`;
    return text;
  };
}

type Who = ReturnType<typeof whoOf>;

function whoOf({ envelope: { toolName, metadata }, sessionId, taskId, agent, userId }: CallRecord) {
  return { tool: toolName, version: metadata.version, sessionId, taskId, agent, userId };
}

function isSame(one: Who, { envelope, sessionId, taskId, agent, userId }: CallRecord): boolean {
  return (
    one.tool === envelope.toolName &&
    one.version === envelope.metadata.version &&
    one.sessionId === sessionId &&
    one.taskId === taskId &&
    one.agent === agent &&
    one.userId === userId
  );
}

/** How a call ended, by its error. */
export function outcomeOf(error: { readonly type: string } | undefined): AuditOutcome {
  if (error === undefined) return "success";
  return error.type === "ToolPermissionError" || error.type === "ToolSecurityError" ? "denied" : "failure";
}

/** The policy gives the same object for the same decision, so the last one need not be written anew. */
function createDecisionText(redact: <T>(value: T) => T): (decision: AccessDecision | undefined) => string {
  let last: AccessDecision | undefined;
  let text = "";
  return (decision) => {
    if (decision === undefined) return "";
    if (decision !== last) text = `,"decision":${JSON.stringify(redact(decision))}`;
    last = decision;
    return text;
  };
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return '"[cannot be written as JSON]"';
  }
}

function field(name: string, text: string | undefined): string {
  return text === undefined ? "" : `,"${name}":${text}`;
}

async function placed(
  name: string,
  text: string | undefined,
  { aside, durable }: RestOptions,
): Promise<string> {
  if (text === undefined || text.length <= inlineChars) return field(name, text);
  const bytes = Buffer.from(text);
  if (bytes.length <= asideBytes) await aside().put(bytes, { durable });
  return digested(name, bytes);
}

function digested(name: string, content: string | Buffer): string {
  const digest = { sha256: hashOf(content), bytes: Buffer.byteLength(content) };
  return `,"${name}Digest":${JSON.stringify(digest)}`;
}
