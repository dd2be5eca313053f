import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServerOptions } from "../client/server-options.js";
import type { ServerConnection } from "../client/server-connection.js";
import { createFaultLog } from "./fault-log.js";
import { ServerLink, type LinkOptions } from "./server-link.js";

let now: number;

beforeEach(() => {
  vi.useFakeTimers();
  now = 1000;
});

afterEach(() => {
  vi.useRealTimers();
});

/** Let time pass: the clock of the link and its timers go together. */
async function pass(ms: number): Promise<void> {
  now += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

/** A link whose attempts to connect go as they are told in turn: an error fails, `undefined` works. */
function open(attempts: (Error | undefined)[], options: Partial<LinkOptions> = {}) {
  const opened: { closed: boolean; lose: (reason: string) => void }[] = [];
  const tries: number[] = [];
  const faults = createFaultLog(
    () => now,
    (text) => text,
  );
  const link = new ServerLink({
    server: "srv",
    spec: { kind: "program", command: "x" } as never,
    startTimeoutMs: 5000,
    open: async (_server, _spec, { onLost }: ServerOptions) => {
      tries.push(now);
      const failure = attempts.shift();
      if (failure !== undefined) throw failure;
      const connection = { closed: false, lose: (reason: string) => onLost?.(reason), close: async () => {} };
      connection.close = async () => void (connection.closed = true);
      opened.push(connection);
      return connection as unknown as ServerConnection;
    },
    faults,
    now: () => now,
    random: () => 0.5,
    prior: async () => undefined,
    profile: () => ({}),
    events: {},
    onOpen: async () => {},
    ...options,
  });
  return { link, opened, tries, faults };
}

describe("the connection to a server", () => {
  it("is opened with the first use and shared by all", async () => {
    const { link, opened } = open([]);
    expect(link.state).toBe("idle");
    const [one, two] = await Promise.all([link.use(), link.use()]);
    expect(one).toBe(two);
    expect(await link.open()).toBe(one);
    expect(opened).toHaveLength(1);
    expect([link.state, link.reason, link.nextTryAt]).toEqual(["ready", undefined, undefined]);
  });

  it("is refused at once while it rests after a failure, and tried again by itself", async () => {
    const { link, tries, faults } = open([new Error("no program")]);
    await expect(link.use()).rejects.toMatchObject({
      code: "SERVER_UNAVAILABLE",
      message: 'The MCP server "srv" is not available: no program.',
      details: { server: "srv", nextTryAt: 1500 },
    });
    expect([link.state, link.reason, link.nextTryAt]).toEqual(["failed", "no program", 1500]);
    expect(faults.faults()).toMatchObject([{ message: "no program" }]);
    await expect(link.use()).rejects.toMatchObject({ hint: expect.stringContaining("0.5 s") as string });
    expect(tries).toEqual([1000]);
    await pass(499);
    expect(tries).toHaveLength(1);
    await pass(1);
    expect(tries).toEqual([1000, 1500]);
    expect([link.state, link.nextTryAt]).toEqual(["ready", undefined]);
  });

  it("waits twice as long after each failure, a minute at most, a quarter more or less by chance", async () => {
    const failures = Array.from({ length: 12 }, () => new Error("no"));
    const { link } = open([...failures]);
    const waits: number[] = [];
    for (const _ of failures) {
      await link.open().catch(() => {});
      waits.push((link.nextTryAt ?? 0) - now);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, ...Array(5).fill(60_000)]);
    await link.close();
    for (const [random, wait] of [
      [0, 375],
      [0.999999, 625],
    ] as const) {
      const other = open([new Error("no")], { random: () => random });
      await other.link.use().catch(() => {});
      expect((other.link.nextTryAt ?? 0) - now).toBe(wait);
      await other.link.close();
    }
  });

  it("that is lost is closed and made again; one that lived long starts with a short wait", async () => {
    const { link, opened, tries, faults } = open([new Error("a"), new Error("b"), undefined]);
    await link.use().catch(() => {});
    await pass(500);
    await pass(1000);
    expect([link.state, tries.length]).toEqual(["ready", 3]);
    opened[0]?.lose("it ended");
    expect([link.state, link.connection, opened[0]?.closed]).toEqual(["failed", undefined, true]);
    expect(faults.faults().at(-1)?.message).toContain("it ended");
    expect((link.nextTryAt ?? 0) - now).toBe(2000);
    await pass(2000);
    await pass(10_001);
    opened[1]?.lose("again");
    expect((link.nextTryAt ?? 0) - now).toBe(500);
    // What an old connection says no longer counts.
    await pass(500);
    opened[0]?.lose("long ago");
    expect(link.state).toBe("ready");
  });

  it("is not tried again by itself where only a login helps", async () => {
    const failure = Object.assign(new Error("log in first"), { code: "LOGIN_NEEDED" });
    const { link, tries } = open([failure]);
    await expect(link.use()).rejects.toMatchObject({
      code: "LOGIN_NEEDED",
      hint: expect.stringContaining("tenon mcp-servers login srv") as string,
    });
    await pass(600_000);
    expect(tries).toHaveLength(1);
    expect(link.needsLogin).toBe(true);
    await link.use();
    expect([link.state, link.needsLogin]).toEqual(["ready", false]);
  });

  it("wants no login where it failed for another reason", async () => {
    const { link } = open([new Error("no program")]);
    await link.use().catch(() => {});
    expect([link.state, link.needsLogin]).toEqual(["failed", false]);
    await link.close();
  });

  it("is given up where the server does not list its tools in time", async () => {
    const { link, opened } = open([], { onOpen: () => new Promise(() => {}) });
    const using = link.use().catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await using).toContain("5000 ms");
    expect(opened[0]?.closed).toBe(true);
    await link.close();
  });

  it("stays closed once it is closed, unless it is to be opened again", async () => {
    const { link, opened } = open([]);
    await link.use();
    await link.close(true);
    expect([link.state, opened[0]?.closed]).toEqual(["idle", true]);
    await link.use();
    expect(opened).toHaveLength(2);
    await link.close();
    await expect(link.use()).rejects.toMatchObject({ code: "SERVER_UNAVAILABLE" });
    opened[1]?.lose("late");
    expect(link.state).toBe("idle");
  });

  it("shows that it failed until it works again, whatever is being tried", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { link } = open([new Error("no")], { onOpen: () => held });
    await link.use().catch(() => {});
    const opening = link.open();
    await vi.advanceTimersByTimeAsync(1);
    expect([link.state, link.reason]).toEqual(["failed", "no"]);
    release();
    await opening;
    expect([link.state, link.reason]).toEqual(["ready", undefined]);
  });

  it("that was stopped is opened by name only, and says how", async () => {
    const { link, tries, opened } = open([new Error("down")]);
    await expect(link.use()).rejects.toThrow("down");
    await link.stop();
    expect([link.state, link.reason, link.nextTryAt]).toEqual(["stopped", undefined, undefined]);
    await pass(60_000);
    expect(tries).toHaveLength(1);
    await expect(link.use()).rejects.toMatchObject({
      message: 'The MCP server "srv" is not available: it was stopped.',
      hint: "Start it with: tenon mcp-servers restart srv",
      details: { server: "srv" },
    });
    expect(await link.arrive(100)).toBeUndefined();
    await link.open();
    expect([link.state, opened.length]).toEqual(["ready", 1]);
    await link.close();
    expect([link.state, opened[0]?.closed]).toEqual(["idle", true]);
    await expect(link.use()).rejects.toMatchObject({ hint: 'See "tenon mcp-servers list".' });
  });

  it("has a short wait again only where it lived longer than ten seconds", async () => {
    for (const [livedMs, waitMs] of [
      [10_000, 1000],
      [10_001, 500],
    ] as const) {
      const { link, opened } = open([new Error("down")]);
      await expect(link.use()).rejects.toThrow("down");
      await pass(500);
      expect(link.state).toBe("ready");
      await pass(livedMs);
      opened[0]?.lose("gone");
      expect(link.nextTryAt).toBe(now + waitMs);
      expect([opened[0]?.closed, link.reason]).toEqual([true, "the connection was lost: gone"]);
      await link.close();
      await pass(60_000);
      expect(opened).toHaveLength(1);
    }
  });
});
