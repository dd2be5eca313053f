import { describe, expect, it } from "vitest";
import type { CallRecord } from "../../contract/ports/recorder.js";
import type { AuditRecorderOptions } from "./audit-recorder.js";
import { newDir, openRecorder, readLog, toRecord } from "./testing/fixture.js";

const nested = { parentCallId: "root" };
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A recorder whose record of the call "large" is ready when the test says so. */
function openSlow(dir: string, options: Partial<AuditRecorderOptions> = {}) {
  let putAside = (): void => {};
  const promise = new Promise<void>((resolve) => (putAside = resolve));
  const line = ({ envelope }: CallRecord): string =>
    `,"callId":"${envelope.callId}","time":1,"durationMs":1,"outcome":"success","tool":"echo"}`;
  const recorder = openRecorder(dir, {
    rests: {
      toStart: () => ({ rest: "", args: "" }),
      toRest: (record) =>
        record.envelope.callId === "large" ? promise.then(() => line(record)) : line(record),
    },
    ...options,
  });
  return { recorder, putAside: () => putAside() };
}

async function writtenIn(dir: string): Promise<string[]> {
  const found = await readLog(dir).search();
  return found.map(({ callId }) => callId).toReversed();
}

describe("records of nested calls", () => {
  it.each([false, true])(
    "are written before the answer above leaves, large ones too (strict: %s)",
    async (strict) => {
      const dir = newDir();
      const { recorder, putAside } = openSlow(dir, { strict });
      void recorder.record(toRecord("large", nested));
      await nextTurn();
      await nextTurn(); // its round is under way
      void recorder.record(toRecord("small", nested));
      let isAnswered = false;
      const answered = Promise.resolve(recorder.record(toRecord("root"))).then(() => (isAnswered = true));
      await nextTurn();
      await nextTurn();
      expect(isAnswered).toBe(false);
      putAside();
      await answered;
      expect(await writtenIn(dir)).toEqual(["large", "small", "root"]);
      await recorder.close();
    },
  );

  it("do not hold up calls that made none, once they are written", async () => {
    const dir = newDir();
    const { recorder, putAside } = openSlow(dir);
    void recorder.record(toRecord("large", nested));
    await nextTurn();
    putAside();
    await recorder.flush();
    expect(recorder.record(toRecord("root"))).toBeUndefined();
    expect(await writtenIn(dir)).toEqual(["large", "root"]);
    await recorder.close();
  });

  it("are waited for on close, which leaves nothing open", async () => {
    const dir = newDir();
    const { recorder, putAside } = openSlow(dir);
    await recorder.record(toRecord("root"));
    void recorder.record(toRecord("large", nested));
    await nextTurn();
    await nextTurn();
    const closed = recorder.close();
    await nextTurn();
    putAside();
    await closed;
    await nextTurn();
    expect(recorder.isOpen).toBe(false);
    expect(await writtenIn(dir)).toEqual(["root", "large"]);
  });

  it("are lost to nobody where writing fails for a while", async () => {
    const dir = newDir();
    let isBroken = true;
    const { recorder, putAside } = openSlow(dir, {
      open: () => {
        if (isBroken) throw new Error("no space");
        return openRecorder(dir).writer();
      },
    });
    void recorder.record(toRecord("large", nested));
    await nextTurn();
    const root = toRecord("root");
    const kept = recorder.record(root);
    putAside();
    await kept;
    expect(root.envelope.metadata["auditFault"]).toMatch("no space");
    isBroken = false;
    expect(recorder.retry()).toBe(true);
    await recorder.close();
    expect(await writtenIn(dir)).toEqual(["large", "root"]);
  });
});
