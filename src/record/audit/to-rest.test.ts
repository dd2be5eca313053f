import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBlobs } from "../../store/blobs.js";
import { newDir, openRecorder, readLog, toRecord } from "./testing/fixture.js";
import { hashOf } from "./line.js";
import { createRestMaker, createSalt, type StartText } from "./to-rest.js";

describe("the lines of the log", () => {
  it("name the tool of each call, also where nothing else differs from the call before", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    for (const toolName of ["one", "two", "two", "one"]) {
      await recorder.record(toRecord(`call-${randomUUID()}`, {}, { toolName }));
    }
    await recorder.close();
    const found = await readLog(dir).search();
    expect(found.map(({ tool }) => tool)).toEqual(["one", "two", "two", "one"]);
  });

  it("point to the start of a call once, also where its id comes again", async () => {
    const dir = newDir();
    const recorder = openRecorder(dir);
    const { envelope, ...owner } = toRecord("one");
    await recorder.start({
      ...owner,
      callId: "one",
      toolName: envelope.toolName,
      version: "1.0.0",
      startedAt: 5,
      decision: undefined,
    });
    await recorder.record(toRecord("one"));
    await recorder.record(toRecord("one"));
    await recorder.close();
    const found = await readLog(dir).search();
    expect(found.map((record) => (record as { start?: number }).start)).toEqual([undefined, 1]);
  });

  it("report no fault for a large content that is stored", async () => {
    const dir = newDir();
    const blobs = openBlobs(join(dir, "aside"), randomUUID);
    const rests = createRestMaker({
      redact: (value) => value,
      aside: () => blobs,
      keepResults: true,
      salt: createSalt(),
      durable: false,
    });
    const faults: string[] = [];
    const recorder = openRecorder(dir, { rests, onFault: (fault) => void faults.push(fault) });
    await recorder.record(toRecord("large", { arguments: { text: "x".repeat(20_000) } }));
    await recorder.close();
    expect(faults).toEqual([]);
  });

  it("have salts of 12 random bytes, however many are drawn", () => {
    const salt = createSalt();
    const salts = Array.from({ length: 1000 }, salt);
    expect(new Set(salts).size).toBe(1000);
    expect(salts.filter((each) => Buffer.from(each, "base64").length !== 12)).toEqual([]);
  });
});

describe("the line of a call", () => {
  const make = (options: Partial<Parameters<typeof createRestMaker>[0]> = {}) => {
    const kept: string[] = [];
    const put = async (bytes: Uint8Array) => (
      kept.push(Buffer.from(bytes).toString()),
      { hash: "", size: 0 }
    );
    const rests = createRestMaker({
      redact: (value) => value,
      aside: () => ({ put }) as never,
      keepResults: true,
      salt: () => "SALT",
      durable: false,
      ...options,
    });
    return { rests, kept };
  };
  const parse = (rest: string): Record<string, unknown> => JSON.parse(`{"at":0${rest}`) as never;
  const decision = { behavior: "ask", rule: "r", source: "user", reason: "why" } as const;
  const approval = { id: "a", verdict: "once", waitedMs: 4 } as never;
  const owner = {
    sessionId: "s",
    taskId: "t",
    agent: "g",
    userId: "u",
    parentCallId: "p",
    requestId: "q",
    principal: "me",
    client: { name: "zed" },
  };
  const told = {
    parentCallId: "p",
    requestId: "q",
    tool: "echo",
    version: "1.2.3",
    sessionId: "s",
    taskId: "t",
    agent: "g",
    userId: "u",
    principal: "me",
    client: { name: "zed" },
    decision,
    approval,
    salt: "SALT",
  };

  it("that begins has all that is known of it", () => {
    const { rests } = make();
    const start = rests.toStart({
      ...owner,
      callId: "c",
      toolName: "echo",
      version: "1.2.3",
      startedAt: 5,
      arguments: { a: 1 },
      decision,
      approval,
    }) as StartText;
    expect(parse(start.rest)).toEqual({
      at: 0,
      kind: "start",
      callId: "c",
      time: 5,
      ...told,
      arguments: { a: 1 },
    });
    expect(start.args).toBe(',"arguments":{"a":1}');
  });

  const record = (members: object = {}, envelope: object = {}) =>
    toRecord(
      "c",
      { ...owner, arguments: { a: 1 }, ...members },
      {
        startedAt: 5,
        durationMs: 1.23456,
        metadata: { sessionId: "s", version: "1.2.3", decision, approval, waitedForPersonMs: 4 },
        ...envelope,
      },
    );

  it("that ended has all that is known of it", () => {
    const { rests } = make();
    expect(parse(rests.toRest(record({ act: "cli" })) as string)).toEqual({
      at: 0,
      callId: "c",
      time: 5,
      durationMs: 1.235,
      outcome: "success",
      waitedForPersonMs: 4,
      ...told,
      act: "cli",
      arguments: { a: 1 },
      result: { text: "hello" },
    });
    const error = { type: "ToolSecurityError", code: "X", message: "no", retryable: false };
    expect(
      parse(rests.toRest(record({}, { error }), { seq: 9, args: ',"arguments":"as begun"' }) as string),
    ).toEqual({
      at: 0,
      start: 9,
      callId: "c",
      time: 5,
      durationMs: 1.235,
      outcome: "denied",
      waitedForPersonMs: 4,
      ...told,
      arguments: "as begun",
      error,
    });
  });

  it.each(["sessionId", "taskId", "agent", "userId", "principal", "act", "client"])(
    "has its own %s, though all else is as it was in the call before",
    (key) => {
      const { rests } = make();
      void rests.toRest(record());
      const other = key === "client" ? { name: "other" } : "other";
      expect(parse(rests.toRest(record({ [key]: other })) as string)).toMatchObject({ [key]: other });
    },
  );

  it("has its own version and decision, though all else is as it was in the call before", () => {
    const { rests } = make();
    void rests.toRest(record());
    const denied = { ...decision, behavior: "deny" };
    const next = parse(
      rests.toRest(record({}, { metadata: { version: "2.0.0", decision: denied } })) as string,
    );
    expect(next).toMatchObject({ version: "2.0.0", decision: denied });
    const none = parse(rests.toRest(record({}, { metadata: {} })) as string);
    expect(none).not.toHaveProperty("decision");
    expect(none).not.toHaveProperty("version");
  });

  it("has no secrets: neither in arguments, nor in the result, nor in the reason", () => {
    const { rests } = make({
      redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "***")),
    });
    const secret = { ...decision, reason: "hunter2" };
    const line = rests.toRest(
      record({ arguments: "hunter2" }, { result: { a: "hunter2" }, metadata: { decision: secret } }),
    ) as string;
    expect(line).not.toContain("hunter2");
    expect(parse(line)).toMatchObject({
      arguments: "***",
      result: { a: "***" },
      decision: { reason: "***" },
    });
  });

  it("says where something cannot be written, and nothing where there is nothing", () => {
    const { rests } = make();
    expect(parse(rests.toRest(record({ arguments: { n: 1n } })) as string)).toMatchObject({
      arguments: "[cannot be written as JSON]",
    });
    const bare = parse(rests.toRest(record({ arguments: undefined }, { result: undefined })) as string);
    expect(bare).not.toHaveProperty("arguments");
    expect(bare).not.toHaveProperty("result");
  });

  it("has 8 kB of a content itself, and the digest of a longer one, which is kept aside", async () => {
    const { rests, kept } = make();
    const fits = "x".repeat(8190);
    expect(parse(rests.toRest(record({ arguments: fits }, { result: fits })) as string)).toMatchObject({
      arguments: fits,
      result: fits,
    });
    const long = `${fits}é`;
    const digest = { sha256: hashOf(`"${long}"`), bytes: 8194 };
    const line = parse(await rests.toRest(record({ arguments: long }, { result: "short" })));
    expect(line).toMatchObject({ argumentsDigest: digest, result: "short" });
    expect(line).not.toHaveProperty("arguments");
    const other = parse(await rests.toRest(record({}, { result: long })));
    expect(other).toMatchObject({ arguments: { a: 1 }, resultDigest: digest });
    expect(kept).toEqual([`"${long}"`, `"${long}"`]);
  });

  it("has only the digest of its result where no results are kept", async () => {
    const { rests, kept } = make({ keepResults: false });
    const line = parse(await rests.toRest(record({}, { result: "short" })));
    expect(line).toMatchObject({
      arguments: { a: 1 },
      resultDigest: { sha256: hashOf('"short"'), bytes: 7 },
    });
    expect(line).not.toHaveProperty("result");
    expect(kept).toEqual([]);
  });
});
