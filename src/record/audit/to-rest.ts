import { randomBytes } from "node:crypto";
import type { AccessDecision } from "../../contract/call.js";
import { messageOf } from "../../contract/message-of.js";
import type { AuditOutcome } from "../../contract/ports/audit.js";
import type { BlobStore } from "../../contract/ports/blobs.js";
import type { CallOwner, CallRecord, CallStart } from "../../contract/ports/recorder.js";
import { keepResultText, knownResultText } from "../../contract/tool-result.js";
import { hashOf } from "./line.js";

export interface StartText {
  /** The line behind its place. */
  readonly rest: string;
  /** The field of its arguments, for the record of the end. */
  readonly args: string;
}

/** The start record that a record ends. */
export interface Begun {
  readonly seq: number;
  readonly args: string;
}

/** What turns calls into lines. */
export interface RestMaker {
  /** The line behind its place; a promise only where something large is kept aside first. */
  toRest(record: CallRecord, begun?: Begun): string | Promise<string>;
  /** The same for a call that is about to run; rejects where its arguments cannot be kept. */
  toStart(start: CallStart): StartText | Promise<StartText>;
}

export interface RestOptions {
  readonly redact: <T>(value: T) => T;
  /** Where large contents go. */
  readonly aside: () => BlobStore;
  /** `false`: results only by their digest. */
  readonly keepResults: boolean;
  /** Creates an unguessable value. */
  readonly salt: () => string;
  /** Also on disk before the record is written. */
  readonly durable: boolean;
}

/** Contents with more characters are stored next to the log. */
const inlineChars = 8 * 1024;
/** Of contents with more bytes only the digest is kept. */
const asideBytes = 64 * 1024 * 1024;

/** Make lines of calls, secrets taken out. */
export function createRestMaker(options: RestOptions): RestMaker {
  const { redact, salt } = options;
  const decisionText = createDecisionText(redact);
  const whoText = createWhoText();
  return {
    toStart(start) {
      const { callId, startedAt, toolName, version, parentCallId, decision } = start;
      const head = `,"kind":"start","callId":${JSON.stringify(callId)},"time":${startedAt}${member("parentCallId", parentCallId)}`;
      const before =
        head +
        whoText(toolName, version, start) +
        member("requestId", start.requestId) +
        decisionText(decision) +
        member("approval", start.approval);
      const finish = (args: string): StartText => ({ rest: `${before}${args},"salt":"${salt()}"}`, args });
      const args = textOf(redact(start.arguments));
      return isSmall(args)
        ? finish(field("arguments", args))
        : placed("arguments", args, options).then(finish);
    },
    toRest(record, begun) {
      const { envelope } = record;
      const { error, metadata } = envelope;
      const pointer = begun === undefined ? "" : `,"start":${begun.seq}`;
      const took = Math.round(envelope.durationMs * 1000) / 1000;
      const start =
        `${pointer},"callId":${JSON.stringify(envelope.callId)},"time":${envelope.startedAt},"durationMs":${took},"outcome":"${outcomeOf(error)}"` +
        member("parentCallId", record.parentCallId) +
        whoText(envelope.toolName, metadata.version, record) +
        member("requestId", record.requestId) +
        decisionText(metadata.decision) +
        member("approval", metadata.approval) +
        member("waitedForPersonMs", metadata.waitedForPersonMs);
      const end = `${error === undefined ? "" : `,"error":${textOf(error)}`},"salt":"${salt()}"}`;
      const args = begun === undefined ? textOf(redact(record.arguments)) : undefined;
      const result = error === undefined ? resultText(envelope, redact) : undefined;
      const keepResult = options.keepResults || result === undefined;
      if (isSmall(args) && isSmall(result) && keepResult)
        return start + (begun?.args ?? field("arguments", args)) + field("result", result) + end;
      return placeAll(record, [
        begun?.args ?? (() => placed("arguments", args, options)),
        keepResult ? () => placed("result", result, options) : digested("result", result ?? ""),
      ]).then((texts) => start + texts + end);
    },
  };
}

/** What cannot be kept aside is known by its digest only, which record and answer tell. */
async function placeAll(
  { envelope }: CallRecord,
  parts: readonly (string | (() => Promise<string>))[],
): Promise<string> {
  let fault = "";
  const texts = await Promise.all(
    parts.map(async (part) => {
      if (typeof part === "string") return part;
      try {
        return await part();
      } catch (error) {
        if (!(error instanceof AsideFault)) throw error;
        fault = `,"asideFault":${JSON.stringify(error.message)}`;
        envelope.metadata["auditFault"] = error.message;
        return error.digest;
      }
    }),
  );
  return texts.join("") + fault;
}

/** A content that cannot be stored next to the log. */
class AsideFault extends Error {
  readonly digest: string;

  constructor(name: string, digest: string, cause: unknown) {
    super(`The ${name} of the call could not be stored beside the log: ${messageOf(cause)}`, { cause });
    this.digest = digest;
  }
}

interface Who extends Pick<
  CallOwner,
  "sessionId" | "taskId" | "agent" | "userId" | "principal" | "act" | "client"
> {
  readonly tool: string;
  readonly version: string | undefined;
}

/** Who called what mostly stays the same from call to call. */
function createWhoText(): (tool: string, version: string | undefined, owner: CallOwner) => string {
  let last: Who | undefined;
  let text = "";
  return (tool, version, owner) => {
    if (last !== undefined && last.tool === tool && last.version === version && isSame(last, owner))
      return text;
    const { sessionId, taskId, agent, userId, principal, act, client } = owner;
    last = { tool, version, sessionId, taskId, agent, userId, principal, act, client };
    text = `,${JSON.stringify(last).slice(1, -1)}`;
    return text;
  };
}

function isSame(one: Who, owner: CallOwner): boolean {
  const { sessionId, taskId, agent, userId, principal, act, client } = owner;
  return (
    one.client === client &&
    one.sessionId === sessionId &&
    one.taskId === taskId &&
    one.agent === agent &&
    one.userId === userId &&
    one.principal === principal &&
    one.act === act
  );
}

export function outcomeOf(error: { readonly type: string } | undefined): AuditOutcome {
  if (error === undefined) return "success";
  return error.type === "ToolPermissionError" || error.type === "ToolSecurityError" ? "denied" : "failure";
}

/** The policy gives the same object for the same decision, so the last text is reused. */
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

/** A member of the line. An approval needs no redaction: its arguments were redacted when they were shown. */
function member(name: string, value: unknown): string {
  return value === undefined ? "" : field(name, textOf(value));
}

function isSmall(text: string | undefined): boolean {
  return text === undefined || text.length <= inlineChars;
}

const unwritable = '"[cannot be written as JSON]"';

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return unwritable;
  }
}

function resultText(envelope: CallRecord["envelope"], redact: <T>(value: T) => T): string | undefined {
  const { result } = envelope;
  const shown = redact(result);
  if (shown !== result) return textOf(shown);
  const text = knownResultText(envelope) ?? textOf(shown);
  if (text !== undefined) keepResultText(envelope, text);
  return text;
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
  const digest = digested(name, bytes);
  try {
    if (bytes.length <= asideBytes) await aside().put(bytes, { durable });
  } catch (cause) {
    throw new AsideFault(name, digest, cause);
  }
  return digest;
}

function digested(name: string, content: string | Buffer): string {
  const digest = { sha256: hashOf(content), bytes: Buffer.byteLength(content) };
  return `,"${name}Digest":${JSON.stringify(digest)}`;
}

/** A purged record cannot be guessed from its remaining hash: each record has its own salt. */
export function createSalt(): () => string {
  const pool = 12 * 256;
  let bytes = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at >= bytes.length) {
      bytes = randomBytes(pool);
      at = 0;
    }
    at += 12;
    return bytes.toString("base64", at - 12, at);
  };
}
