import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallForCaller, profileOf, type Caller } from "./caller.js";
import { createFaultLog } from "./fault-log.js";
import type { LinkRole, LinksOptions } from "./link-types.js";
import { ServerLink } from "./server-link.js";
import { ServerLinks } from "./server-links.js";
import { hostOf, scriptedServer, type Script } from "./testing/scripted-server.js";

const sampling = { sampling: {} };
const roots = { roots: {} };
const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** The connections to a scripted server. */
function openLinks(given: Partial<Script> = {}, options: Partial<LinksOptions> = {}) {
  const server = scriptedServer(given);
  const roles: LinkRole[] = [];
  const links = new ServerLinks({
    server: "srv",
    isOld: () => false,
    createLink: (profile, role) => {
      roles.push(role);
      return new ServerLink({
        server: "srv",
        spec: { kind: "program", command: "x", env: {} },
        startTimeoutMs: 5000,
        open: server.open,
        faults: createFaultLog(Date.now, (text) => text),
        now: Date.now,
        random: () => 0.5,
        prior: async (era) => (era === "legacy" ? { kind: "legacy" } : undefined),
        profile,
        events: {},
        onOpen: async () => {},
      });
    },
    ...options,
  });
  const callOf = (caller: Caller) => new CallForCaller(caller, { signal: new AbortController().signal });
  /** The connection that a call of this caller gets. */
  const use = (caller: Caller) => links.with(callOf(caller), async (connection) => connection);
  /** A call that goes on until its `end` is called. */
  const hold = async (caller: Caller) => {
    let end = (): void => {};
    const running = new Promise<void>((resolve) => (end = resolve));
    const begun = new Promise<void>((begin) => {
      void links.with(callOf(caller), () => (begin(), running));
    });
    await begun;
    return { end };
  };
  const isClosed = () => server.opened.map((one) => one.isClosed);
  return { ...server, links, roles, use, hold, isClosed };
}

describe("the connections to a server", () => {
  it("of 2025 are shared by hosts that declare the same, in whatever order", async () => {
    const { use, opened } = openLinks();
    const first = await use(hostOf("a"));
    expect(await use(hostOf("b"))).toBe(first);
    const able = await use(hostOf("c", { ...sampling, elicitation: { form: {} } }));
    expect(able).not.toBe(first);
    expect(await use(hostOf("d", { elicitation: { form: {} }, ...sampling }))).toBe(able);
    expect(await use(hostOf("e"))).toBe(first);
    expect(opened.map(({ options }) => options.capabilities)).toEqual([
      {},
      { elicitation: { form: {} }, sampling: {} },
    ]);
  });

  it("of 2026 are one: each call says what its host can be asked", async () => {
    const { use } = openLinks({ speaks: ["modern"] });
    const first = await use(hostOf("a", {}, "modern"));
    expect(await use(hostOf("b", sampling, "modern"))).toBe(first);
  });

  it("that speaks both are one for each era", async () => {
    const { use, links } = openLinks({ speaks: ["legacy", "modern"] });
    const old = await use(hostOf("a", {}, "legacy"));
    const modern = await use(hostOf("b", sampling, "modern"));
    expect([old.verdict.kind, modern.verdict.kind]).toEqual(["legacy", "modern"]);
    expect(await use(hostOf("c", {}, "modern"))).toBe(modern);
    expect(await use(hostOf("d", {}, "legacy"))).toBe(old);
    expect(await links.arrive(profileOf(hostOf("e", {}, "modern")), 1000)).toBe(modern);
    expect(await links.arrive(profileOf(hostOf("e", {}, "legacy")), 1000)).toBe(old);
  });

  it.each([
    ["known to speak only the older era", { isOld: () => true }],
    ["configured for it", { era: "legacy" as const }],
  ])("%s are shared by hosts of both", async (_, options) => {
    const { use, links } = openLinks({}, options);
    const first = await use(hostOf("a", {}, "legacy"));
    expect(await use(hostOf("b", {}, "modern"))).toBe(first);
    expect(await links.arrive(profileOf(hostOf("c", {}, "modern")), 1000)).toBe(first);
  });

  it("that answered a modern host in the older era is not asked for the newer one again", async () => {
    const { use, opened } = openLinks();
    await use(hostOf("a", sampling, "modern"));
    await use(hostOf("b", sampling, "modern"));
    await use(hostOf("c", sampling, "legacy"));
    expect(opened).toHaveLength(1);
    await use(hostOf("d", {}, "modern"));
    expect(opened).toHaveLength(2);
  });

  it("made for nobody are made again for the first host, whose later calls wait for that", async () => {
    const { use, links, opened, isClosed } = openLinks();
    links.guess({});
    await links.primary.open();
    const [one, two] = await Promise.all([use(hostOf("a", sampling)), use(hostOf("b", sampling))]);
    expect(one).toBe(two);
    expect(links.primary.connection).toBe(one);
    expect(opened).toHaveLength(2);
    expect(opened[1]?.options.capabilities).toEqual(sampling);
    // Now it is somebody's: who declares something else gets another.
    await use(hostOf("c"));
    expect(isClosed()).toEqual([true, false, false]);
  });

  it("made for the host that was expected are not made again", async () => {
    const { use, links, opened } = openLinks();
    links.expect(profileOf(hostOf("a", sampling)));
    links.guess({}); // a host that is there counts for more than a guess
    const made = await links.primary.open();
    links.expect({}); // too late
    expect(await use(hostOf("a", sampling))).toBe(made);
    expect(opened).toHaveLength(1);
  });

  it("that somebody only looked through are made again for the next one that looks", async () => {
    const { use, links, isClosed } = openLinks();
    const first = await links.arrive(profileOf(hostOf("a")), 1000);
    expect(await links.arrive(profileOf(hostOf("b")), 1000)).toBe(first);
    const second = await links.arrive(profileOf(hostOf("b", sampling)), 1000);
    expect(links.primary.connection).toBe(second);
    expect(isClosed()).toEqual([true, false]);
    expect(await use(hostOf("b", sampling))).toBe(second);
    // A call has used it, so the next one gets its own.
    expect(await links.arrive(profileOf(hostOf("c")), 1000)).not.toBe(second);
    expect(isClosed()).toEqual([true, false, false]);
  });

  it("belong to a session once the server asked it for its roots", async () => {
    const { use, links, roles, isClosed } = openLinks();
    const first = await use(hostOf("a", roots));
    expect(roles[0]?.session()).toBeUndefined();
    roles[0]?.keepFor("a");
    expect(await use(hostOf("a", roots))).toBe(first);
    const other = await use(hostOf("b", roots));
    expect(other).not.toBe(first);
    expect(await use(hostOf("b", roots))).toBe(other);
    expect(await links.arrive(profileOf(hostOf("b", roots)), 1000)).toBe(first);
    expect(roles.map((role) => role.session())).toEqual(["a", "b"]);
    await links.endSession("b");
    expect(isClosed()).toEqual([false, true]);
    await links.endSession("a");
    expect(isClosed()).toEqual([true, true]);
    expect(await use(hostOf("c"))).toBe(links.primary.connection);
  });

  it("of several sessions become one's own when it is asked for its roots there", async () => {
    const { use, links, roles, isClosed } = openLinks();
    await use(hostOf("z"));
    const shared = await use(hostOf("a", roots));
    expect(await use(hostOf("b", roots))).toBe(shared);
    roles[1]?.keepFor("a");
    expect(await use(hostOf("a", roots))).toBe(shared);
    roles[1]?.keepFor("b"); // it has been given to the first already
    const own = await use(hostOf("b", roots));
    expect(own).not.toBe(shared);
    expect(roles.map((role) => role.session())).toEqual([undefined, "a", "b"]);
    expect(links.connections()).toHaveLength(3);
    await links.endSession("a");
    expect(isClosed()).toEqual([false, true, false]);
    expect(await use(hostOf("b", roots))).toBe(own);
    // One that is kept is found again when nobody uses it any more.
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(isClosed()).toEqual([false, true, true]);
  });

  it("are one for each session where they are configured so", async () => {
    const { use, links, isClosed, roles } = openLinks({}, { perSession: true });
    const first = await use(hostOf("a"));
    const second = await use(hostOf("b"));
    expect(second).not.toBe(first);
    expect([await use(hostOf("a")), await use(hostOf("b"))]).toEqual([first, second]);
    expect(links.all().map(({ session }) => session)).toEqual(["a", "b"]);
    expect(roles.map((role) => role.session())).toEqual(["a", "b"]);
    await links.endSession("nobody");
    expect(isClosed()).toEqual([false, false]);
    await links.endSession("a");
    expect(isClosed()).toEqual([true, false]);
    expect(await use(hostOf("c"))).toBe(links.primary.connection);
    expect(await use(hostOf("b"))).toBe(second);
  });

  it.each([
    [8, {}, (at: number) => hostOf(`s${at}`, { sampling: { at } })],
    [64, { perSession: true }, (at: number) => hostOf(`s${at}`)],
    [
      64,
      { secretsFor: async ({ user }: { user?: string | undefined }) => `${user}` },
      (at: number) => hostOf(`s~user${at}`),
    ],
  ])("beside the first are at most %i", async (max, options, nth) => {
    const { use, hold, links, opened, isClosed } = openLinks({}, options);
    const hasFirst = !("secretsFor" in options);
    if (hasFirst) await use(nth(0));
    const held = [];
    for (let at = 1; at <= max; at++) held.push(await hold(nth(at)));
    await expect(use(nth(max + 1))).rejects.toMatchObject({
      code: "SERVER_UNAVAILABLE",
      message: expect.stringContaining(`${max} hosts`) as string,
    });
    // Who only looks is shown what the first one lists.
    if (hasFirst) expect(await links.arrive(profileOf(nth(max + 1)), 1000)).toBe(links.primary.connection);
    const before = opened.length;
    held[2]?.end();
    await vi.advanceTimersByTimeAsync(0);
    await use(nth(max + 1));
    expect(isClosed().flatMap((is, at) => (is ? [at] : []))).toEqual([hasFirst ? 3 : 2]);
    expect(opened).toHaveLength(before + 1);
  });

  it.each([
    [5, {}],
    [60, { perSession: true }],
  ])("beside the first end when nobody has used them for %i minutes", async (minutes, options) => {
    const { use, hold, isClosed } = openLinks({}, options);
    await use(hostOf("a"));
    await use(hostOf("b", sampling));
    await vi.advanceTimersByTimeAsync((minutes - 1) * minute);
    const [one, two] = [await hold(hostOf("b", sampling)), await hold(hostOf("b", sampling))];
    await vi.advanceTimersByTimeAsync(minutes * minute);
    one.end();
    await vi.advanceTimersByTimeAsync(minutes * minute);
    expect(isClosed()).toEqual([false, false]);
    two.end();
    await vi.advanceTimersByTimeAsync(minutes * minute - 1);
    expect(isClosed()).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(isClosed()).toEqual([false, true]);
  });

  it("given secrets are shared by those who get the same ones", async () => {
    const secretsFor = async ({ user }: { user?: string | undefined }): Promise<string> => {
      if (user === "nobody") throw new Error("no such secret");
      return user === "ada" ? "hers" : "all";
    };
    const { use, links, opened } = openLinks({}, { secretsFor });
    expect(links.shownState).toBe("idle");
    const reached = await links.reach({ owner: { user: "ada" } });
    expect(await links.arrive({ owner: { user: "ada" } }, 1000)).toBe(reached);
    const [bob, eve] = [{ owner: { user: "bob" } }, { owner: { user: "eve" } }];
    expect(await links.reach(bob)).not.toBe(reached);
    expect(await links.reach(eve)).toBe(await links.reach(bob));
    expect(await links.reach({ ...eve, capabilities: sampling })).not.toBe(await links.reach(eve));
    expect(opened.map(({ options }) => options.owner?.user)).toEqual(["ada", "bob", "eve"]);
    expect([links.primary.state, links.shownState]).toEqual(["idle", "ready"]);
    expect(await links.arrive({ owner: { user: "nobody" } }, 1000)).toBeUndefined();
    await expect(links.reach({ owner: { user: "nobody" } })).rejects.toThrow("no such secret");
    // One of 2026 hears of the host with each call.
    const modern = openLinks({ speaks: ["modern"] }, { secretsFor });
    const first = await modern.use(hostOf("a", {}, "modern"));
    expect(await modern.use(hostOf("b", sampling, "modern"))).toBe(first);
    expect(await use(hostOf("b", sampling, "modern"))).not.toBe(await use(hostOf("b", {}, "legacy")));
  });

  it("are waited for until the call is stopped, while others go on waiting", async () => {
    const { links, use, script } = openLinks();
    const stop = new AbortController();
    const call = new CallForCaller(hostOf("a"), { signal: stop.signal });
    const stopped = links.with(call, async () => "done");
    const other = use(hostOf("b"));
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    expect(await other).toBe(links.primary.connection);
    await expect(links.with(call, async () => "there already")).resolves.toBe("there already");
    script.failure = new Error("no program");
    await expect(use(hostOf("c", sampling))).rejects.toMatchObject({ code: "SERVER_UNAVAILABLE" });
  });

  it("are healthy until the first one fails", async () => {
    const { links, use, script } = openLinks();
    expect(links.health).toEqual({ healthy: true, message: 'the MCP server "srv" is idle' });
    script.failure = new Error("no program");
    await expect(use(hostOf("a"))).rejects.toThrow("no program");
    expect(links.health).toEqual({ healthy: false, message: "no program" });
    await links.close();
  });

  it("end together, for good or until somebody needs them", async () => {
    const { links, use, isClosed } = openLinks();
    await use(hostOf("a"));
    await use(hostOf("b", sampling));
    expect(links.connections()).toHaveLength(2);
    await links.close(true);
    expect([isClosed(), links.connections()]).toEqual([[true, true], []]);
    await use(hostOf("a"));
    await use(hostOf("b", sampling));
    await links.stop();
    expect([isClosed(), links.primary.state]).toEqual([[true, true, true, true], "stopped"]);
    await links.primary.open();
    await use(hostOf("b", sampling));
    await links.close();
    expect(isClosed()).toEqual(Array(6).fill(true));
    expect(vi.getTimerCount()).toBe(0);
    await expect(use(hostOf("a"))).rejects.toMatchObject({ code: "SERVER_UNAVAILABLE" });
  });
});
