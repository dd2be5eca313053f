import { describe, expect, it } from "vitest";
import type { ConsoleReach } from "../contract/ports/interact.js";
import type { ConsentDesk } from "./consent-desk.js";
import { watchPages } from "./watch-pages.js";

/** A call that waits for the pages of a console, on a clock that only moves while it sleeps. */
function start(more: { pageTimeoutMs?: number; channels?: string[]; failure?: unknown } = {}) {
  const watched = { now: 100_000, reminders: [] as number[], opened: [] as unknown[], slept: [] as number[] };
  const leaving = new AbortController();
  const clock = {
    now: () => watched.now,
    sleep: async (ms: number) => {
      watched.slept.push(ms);
      watched.now += ms;
    },
  };
  const events = { has: () => true, emit: () => void watched.reminders.push(watched.now) };
  const client = { openUrl: (what: unknown) => void watched.opened.push(what) };
  const state = { parts: { clock, events }, origin: {}, session: { client } };
  const call = { state, received: { root: { callId: "c", state } }, entry: { name: "wipe" } };
  const request = {
    id: "a/1",
    toolName: "wipe",
    requestedAt: 100_000,
    channels: more.channels ?? ["console"],
  };
  const run = (reach: () => ConsoleReach | undefined) =>
    watchPages(call as never, request as never, {
      desk: { reach: async () => reach() } as ConsentDesk,
      pageTimeoutMs: more.pageTimeoutMs ?? 30_000,
      signal: leaving.signal,
      failure: more.failure,
    });
  return { watched, leaving, run };
}

const at = (pageSeenAt: number): ConsoleReach => ({ url: "http://127.0.0.1:1", pageSeenAt });

describe("waiting for a page of the console", () => {
  it("reminds at once and every ten seconds, and gives up after its time without a page", async () => {
    const { run, watched } = start();
    const failed = await run(() => at(0)).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: "APPROVAL_UNAVAILABLE",
      message: "Access denied: consent is needed, and no page of the console was open for 30 s.",
      hint: "Ask a person to open http://127.0.0.1:1/#/approvals/a%2F1, then call again.",
    });
    expect(watched.now).toBe(130_000);
    expect(watched.reminders).toEqual([100_000, 110_000, 120_000, 130_000]);
    expect(watched.opened).toEqual([
      {
        id: "a/1",
        url: "http://127.0.0.1:1/#/approvals/a%2F1",
        message: "A person must allow wipe in Tenon's console.",
      },
    ]);
  });

  it("looks every second, and no longer than is left", async () => {
    const { run, watched } = start({ pageTimeoutMs: 2500 });
    await expect(run(() => at(0))).rejects.toThrow("for 3 s");
    expect(watched.slept).toEqual([1000, 1000, 500]);
  });

  it("counts from when a page was last open, also where it was earlier than the request", async () => {
    const { run, watched } = start({ pageTimeoutMs: 5000 });
    // A page is open for ten seconds; what is said later of an earlier time changes nothing.
    await expect(run(() => at(watched.now <= 110_000 ? watched.now : 1))).rejects.toThrow("for 5 s");
    expect(watched.now).toBe(115_000);
  });

  it.each([["console"], ["api"]])("needs a channel such as %s that is open", async (channel) => {
    const open = start({ channels: ["host", channel], pageTimeoutMs: 1 });
    await expect(open.run(() => at(0))).rejects.toMatchObject({ code: "APPROVAL_UNAVAILABLE" });
    const closed = start({ channels: ["host"] });
    await expect(closed.run(() => at(0))).rejects.toThrow("no console is running");
  });

  it("ends with the failure of another channel where no console runs, and where it has ended", async () => {
    const failure = new Error("the host is gone");
    await expect(start({ failure }).run(() => undefined)).rejects.toBe(failure);
    let looks = 0;
    await expect(start().run(() => (++looks === 3 ? undefined : at(0)))).rejects.toThrow(
      "the console that could answer has ended",
    );
  });

  it("ends when the request does", async () => {
    const { run, leaving, watched } = start();
    const reason = new Error("answered");
    const waiting = run(() => {
      if (watched.now === 103_000) leaving.abort(reason);
      return at(0);
    });
    await expect(waiting).rejects.toBe(reason);
    expect(watched.now).toBe(103_000);
  });
});
