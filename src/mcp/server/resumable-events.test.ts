import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ResumableEvents, type EventLimits, type SessionEvents } from "./resumable-events.js";

const textsAfter = (events: SessionEvents, id: string): readonly string[] =>
  [...events.since(id)].map(({ text }) => text);

const call = 1;

function open(limits?: EventLimits): { all: ResumableEvents; events: SessionEvents; first: string } {
  const all = new ResumableEvents(limits);
  const events = all.open();
  return { all, events, first: events.begin(events.openStream()) };
}

describe("events of a session", () => {
  it("are given again from the one after the last that arrived, as they were sent", () => {
    const { events, first } = open();
    const [one, two] = ['{"text":"één ⟨日本⟩ \\u0000"}', '{"n":2}'].map((text) =>
      events.keep(call, text, true),
    );
    expect(textsAfter(events, first)).toEqual(['{"text":"één ⟨日本⟩ \\u0000"}', '{"n":2}']);
    expect([...events.since(one!)]).toEqual([{ id: two, text: '{"n":2}' }]);
    expect(textsAfter(events, two!)).toEqual([]);
  });

  it("are those of the stream that the id belongs to", () => {
    const { events, first } = open();
    const other = events.begin(events.openStream());
    events.keep(call + 1, "theirs", true);
    events.keep(call, "ours", true);
    expect(textsAfter(events, first)).toEqual(["ours"]);
    expect(textsAfter(events, other)).toEqual(["theirs"]);
    expect(events.placeOf(first)?.stream).toBe(call);
  });

  it("are unknown by an id that was never given out", () => {
    const { events, first } = open();
    const [stream, number] = first.split(".").map(Number);
    expect(events.placeOf(`${stream}.${number! + 1}`)).toBeUndefined();
    expect(events.placeOf(`${stream! + 1}.${number}`)).toBeUndefined();
    expect(events.placeOf(`${first} `)).toBeUndefined();
    expect(textsAfter(events, "9.9")).toEqual([]);
  });

  it("come in the order in which they were sent, notifications among answers", () => {
    const { events, first } = open();
    events.keep(call, "progress 1", false);
    events.keep(call, "question", true);
    events.keep(call, "progress 2", false);
    expect(textsAfter(events, first)).toEqual(["progress 1", "question", "progress 2"]);
  });
});

describe("the bounds of what is kept", () => {
  it("count bytes, not characters", () => {
    const { all, events } = open();
    events.keep(call, "日本", true);
    expect(all.size).toBe(6);
  });

  it("let the notifications of a session go first, the oldest first, and never the newest event", () => {
    const { events, first } = open({ maxPerSession: 10 });
    events.keep(call, "aaaa", true);
    events.keep(call, "bbb", false);
    events.keep(call, "ccc", false);
    expect(textsAfter(events, first)).toEqual(["aaaa", "bbb", "ccc"]);
    events.keep(call, "d", true);
    expect(textsAfter(events, first)).toEqual(["aaaa", "ccc", "d"]);
    events.keep(call, "e".repeat(11), true);
    expect(textsAfter(events, first)).toEqual(["e".repeat(11)]);
  });

  it("hold for all sessions together: the oldest event of any of them goes", () => {
    const all = new ResumableEvents({ maxTotal: 10 });
    const [one, two] = [all.open(), all.open()];
    const [first, second] = [one, two].map((events) => events.begin(events.openStream())) as [string, string];
    one.keep(call, "aaaaa", true);
    two.keep(call, "bbbbb", true);
    expect(all.size).toBe(10);
    two.keep(call, "c", true);
    expect(textsAfter(one, first)).toEqual([]);
    expect(textsAfter(two, second)).toEqual(["bbbbb", "c"]);
    expect(all.size).toBe(6);
  });

  it("give back what a session kept when it ends, once", () => {
    const { all, events } = open();
    const other = all.open();
    events.keep(call, "aaaa", true);
    events.keep(call, "bb", false);
    other.keep(call, "c", true);
    events.close();
    events.close();
    expect(all.size).toBe(1);
  });

  it("let a host go on with its last 1,000 streams", () => {
    const { events, first } = open();
    for (let stream = 2; stream <= 1000; stream++) events.begin(events.openStream());
    expect(events.placeOf(first)?.stream).toBe(call);
    events.begin(events.openStream());
    expect(events.placeOf(first)).toBeUndefined();
  });

  it("count the streams of the SDK among them, which then start again", async () => {
    const { events } = open();
    const before = await events.storeEvent("_GET_stream", {} as never);
    const same = await events.storeEvent("_GET_stream", { jsonrpc: "2.0", method: "notifications/x" });
    expect(events.placeOf(same)?.stream).toBe(events.placeOf(before)?.stream);
    expect(await events.replayEventsAfter(before, { send: async () => {} })).toBe("_GET_stream");
    for (let stream = 0; stream < 1000; stream++) events.openStream();
    const after = await events.storeEvent("_GET_stream", {} as never);
    expect(events.placeOf(before)).toBeUndefined();
    expect(events.placeOf(after)?.stream).toBe(1003);
  });

  describe("in time", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it("let an event go after five minutes", () => {
      const { all, events, first } = open();
      events.keep(call, "a", true);
      vi.advanceTimersByTime(5 * 60_000);
      all.dropOld();
      expect(textsAfter(events, first)).toEqual(["a"]);
      vi.advanceTimersByTime(1);
      events.keep(call, "b", true);
      expect(textsAfter(events, first)).toEqual(["b"]);
      expect(all.size).toBe(1);
    });

    it("count what was compressed after ten seconds as it is then, and give it again as it was sent", () => {
      const { all, events, first } = open({ maxPerSession: 10_000, maxTotal: 10_000 });
      const large = JSON.stringify({ lines: Array.from({ length: 200 }, (_, at) => `line ${at} é`) });
      const small = "s".repeat(2047);
      events.keep(call, large, true);
      events.keep(call, small, true);
      const before = all.size;
      vi.advanceTimersByTime(10_001);
      events.keep(call, "x", true);
      expect(all.size).toBeLessThan(before - Buffer.byteLength(large) / 2);
      expect(all.size).toBeGreaterThan(small.length);
      expect(textsAfter(events, first)).toEqual([large, small, "x"]);
      // There is room for more now, for the session as for all of them.
      events.keep(call, "y".repeat(7000), true);
      expect(textsAfter(events, first)).toHaveLength(4);
      events.close();
      expect(all.size).toBe(0);
    });

    it("leave what compression does not make smaller as it is", () => {
      const { all, events, first } = open();
      const noise = randomBytes(3000).toString("base64");
      events.keep(call, noise, true);
      vi.advanceTimersByTime(10_001);
      events.keep(call, "x", true);
      expect(all.size).toBe(noise.length + 1);
      expect(textsAfter(events, first)).toEqual([noise, "x"]);
    });
  });
});
