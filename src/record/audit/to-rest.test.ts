import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBlobs } from "../../store/blobs.js";
import { newDir, openRecorder, readLog, toRecord } from "./testing/fixture.js";
import { createRestMaker, createSalt } from "./to-rest.js";

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
