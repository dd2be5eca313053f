import { expect, it } from "vitest";
import { systemClock } from "../../contract/system-clock.js";
import type { AuditLog, AuditRecord } from "../../contract/ports/audit.js";
import type { AnswerStore, KeptCall } from "../../contract/ports/answers.js";
import { createAnswerKeys } from "./answer-keys.js";

const call = { principal: "alice", key: "k", fingerprint: "f", callId: "call_2" };
const options = { signal: new AbortController().signal, toolName: "write_file", isReadOnly: false };

/** A key whose call another process made and recorded, before it ended. */
function keysAfter(record: object, isBegun: boolean) {
  let row: KeptCall | undefined = { fingerprint: "f", callId: "call_1", state: "lost" };
  const store: AnswerStore = {
    claim: async () => row,
    get: async () => row,
    finish: async () => {},
    release: async () => void (row = undefined),
  };
  const log = {
    get: async () => ({ callId: "call_1", tool: "write_file", ...record }) as AuditRecord,
    started: async () => (isBegun ? {} : undefined),
  } as unknown as AuditLog;
  return createAnswerKeys({ store: async () => store, log, clock: systemClock, redact: (value) => value });
}

const cancelled = { error: { type: "ToolCancelledError", code: "CANCELLED", message: "", retryable: false } };

it("a key is free again where its call was stopped before it began and its process ended", async () => {
  expect(await keysAfter(cancelled, false).claim(call, options)).toBeUndefined();
});

it("a key keeps the answer of a call that was stopped at work", async () => {
  const answer = await keysAfter({ ...cancelled, start: 1 }, true).claim(call, options);
  expect(answer).toMatchObject({ error: { code: "CANCELLED" }, metadata: { repeated: true } });
});
