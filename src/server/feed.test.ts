import * as fc from "fast-check";
import { createServer, get } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { TenonEvent } from "../contract/events.js";
import { Feed, type FeedOptions } from "./feed.js";
import { FeedRing } from "./feed-ring.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";
import { readFeed } from "./testing/read-feed.js";
import type { SeesSession } from "./request-person.js";
import type { ServerOptions } from "./start-server.js";
import { underLoad } from "../../test/setup/under-load.js";

let at: TestServer | undefined;
afterEach(async () => {
  await at?.close();
  at = undefined;
});

const chatty = defineTool({
  name: "chatty",
  description: "Says many things while it runs.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ times: z.number(), size: z.number().default(10) }),
  async *execute({ times, size }) {
    for (let count = 0; count < times; count++) yield `${count} ${"x".repeat(size)}`;
    return times;
  },
});
const open = async (options: ServerOptions = {}): Promise<TestServer> =>
  (at = await openTestServer({ ...options, tenonOptions: { tools: [chatty], builtIns: false } }));

describe("the ring", () => {
  it("gives every frame after any number once and in order, or says that it cannot", () => {
    const steps = fc.array(fc.oneof(fc.constant("push" as const), fc.nat(60)), { maxLength: 200 });
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 400 }),
        (plan, frames, chars) => {
          const ring = new FeedRing(1000, { frames, chars });
          const all: number[] = [];
          for (const step of plan) {
            if (step === "push") {
              ring.push((id) => {
                all.push(id);
                return `<${id}>`;
              });
              continue;
            }
            const after = 1000 + step;
            expect(ring.last).toBe(all.at(-1) ?? 1000);
            if (!ring.reaches(after)) {
              // Only what was never sent, or is gone for good.
              expect(after > ring.last || after < ring.first - 1).toBe(true);
              continue;
            }
            let text = "";
            for (let from = after + 1; from <= ring.last;) {
              const read = ring.read(from, 20);
              text += read.text;
              from = read.next;
            }
            expect(text).toBe(
              all
                .filter((id) => id > after)
                .map((id) => `<${id}>`)
                .join(""),
            );
          }
          expect(ring.last - ring.first + 1).toBeLessThanOrEqual(frames);
        },
      ),
    );
  });
});

describe("a long life of the ring", () => {
  it("loses no place when it tidies up", () => {
    const ring = new FeedRing(0, { frames: 1500 });
    for (let count = 1; count <= 10_000; count++) {
      ring.push((id) => `${id},`);
      expect(ring.last).toBe(count);
      const from = Math.max(ring.first, count - 2);
      expect(ring.read(from, 1e6).text.split(",").length - 1).toBe(count - from + 1);
    }
    expect(ring.read(ring.first, 1).text).toBe(`${ring.first},`);
    expect(ring.last - ring.first).toBe(1499);
  });
});

describe("the live feed", () => {
  it("loses and doubles nothing wherever the connection breaks, while events keep coming", async () => {
    const { server, tenon } = await open();
    const watching = await readFeed(server);
    const broken: number[] = [];
    let running = true;
    const load = (async () => {
      for (let round = 0; round < 40; round++) {
        await tenon.call({ name: "chatty", arguments: { times: 50 } });
        await new Promise((resolve) => setImmediate(resolve));
      }
      running = false;
    })();
    let lastId: string | undefined;
    let breaks = 0;
    for (;;) {
      const reader = await readFeed(server, lastId);
      const before = broken.length;
      const most = 1 + ((breaks * 37) % 200); // breaks at all kinds of places
      const done = (): boolean => !running && reader.lastId === watching.lastId;
      await Promise.race([
        reader.until(({ items }) => items.length >= most || done()),
        load.then(() => watching.until(() => true)),
      ]);
      expect(reader.hellos[0]).toMatchObject({ reset: false });
      reader.stop();
      for (const { id } of reader.items) broken.push(id);
      lastId = reader.lastId;
      breaks++;
      if (!running && broken.length === before && lastId === watching.lastId) break;
    }
    await load;
    const first = broken[0] ?? 0;
    expect(breaks).toBeGreaterThan(3);
    expect(broken).toEqual(Array.from({ length: broken.length }, (_, index) => first + index));
    expect(broken.at(-1)).toBe(watching.items.at(-1)?.id);
    expect(watching.items.length).toBeGreaterThanOrEqual(40 * 52);
    watching.stop();
  });

  it("tells a page to reload after a number that is gone or was never sent", async () => {
    const { server, tenon } = await open({ feed: { frames: 20 } });
    for (let round = 0; round < 10; round++) await tenon.call({ name: "chatty", arguments: { times: 10 } });
    for (const strange of ["1", "99999999999999999999", "abc", "-5", String(Number.MAX_SAFE_INTEGER)]) {
      const reader = await readFeed(server, strange);
      await reader.until(({ hellos }) => hellos.length > 0);
      expect(reader.hellos).toMatchObject([{ reset: true }]);
      await tenon.call({ name: "chatty", arguments: { times: 1 } });
      await reader.until(({ items }) => items.length >= 3);
      expect(reader.items[0]?.id).toBe((reader.hellos[0]?.lastId ?? 0) + 1);
      reader.stop();
    }
  });

  it("keeps events for a page that comes back soon, and tells one that comes back late to reload", async () => {
    for (const { keptForMs, reset } of [
      { keptForMs: 60_000, reset: false },
      { keptForMs: -1, reset: true },
    ]) {
      const opened = await open({ feed: { keptForMs } });
      const { server, tenon } = opened;
      const reader = await readFeed(server);
      await tenon.call({ name: "chatty", arguments: { times: 1 } });
      await reader.until(({ items }) => items.length >= 3);
      reader.stop();
      const comesBack = async (): Promise<boolean | undefined> => {
        await tenon.call({ name: "chatty", arguments: { times: 1 } });
        const again = await readFeed(server, reader.lastId);
        await again.until(({ hellos }) => hellos.length > 0);
        again.stop();
        return again.hellos[0]?.reset;
      };
      // That it left is seen a moment later.
      await expect.poll(comesBack).toBe(reset);
      await opened.close();
    }
  });

  it("cuts what is huge, with a mark", async () => {
    const { server, tenon } = await open();
    const reader = await readFeed(server);
    await tenon.call({ name: "chatty", arguments: { times: 1, size: 100_000 } });
    await reader.until(({ items }) => items.some(({ event }) => event.type === "TOOL_CALL_COMPLETED"));
    const progress = reader.items.find(({ event }) => event.type === "TOOL_CALL_PROGRESS");
    expect(progress?.cut).toBe(true);
    const { output = "" } = (progress?.event.payload ?? {}) as { output?: string };
    expect(output).toMatch(/… \[\d+ more characters\]$/);
    expect(output.length).toBeLessThan(10_000);
    expect(reader.items[0]).not.toHaveProperty("cut");
    reader.stop();
  });

  it("keeps nothing for a client that does not read, and tells it to reload when it does", async () => {
    const { server, tenon } = await open({ feed: { frames: 200 } });
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write(
      `GET /api/feed HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once("readable", resolve));
    const watching = await readFeed(server); // somebody who reads is not held up
    for (let round = 1; round <= 60; round++) {
      const { callId } = await tenon.call({ name: "chatty", arguments: { times: 50, size: 7000 } });
      await watching.until(({ items }) => items.slice(-3).some(({ event }) => isEndOf(event, callId)));
    }
    expect(watching.hellos).toMatchObject([{ reset: false }]);
    let heard = "";
    const reset = new Promise<void>((resolve) =>
      socket.setEncoding("utf8").on("data", (text: string) => {
        heard = (heard + text).slice(-200_000);
        if (heard.includes('"reset":true')) resolve();
      }),
    );
    socket.resume();
    await reset;
    socket.destroy();
    watching.stop();
  });

  it("takes only so many listeners, and shows signs of life", async () => {
    const { server, ask } = await open({ feed: { maxClients: 2, heartbeatMs: 20 } });
    const [one] = await Promise.all([readFeed(server), readFeed(server)]);
    const refused = await ask("/api/feed");
    expect(refused.status).toBe(503);
    expect(refused.body.error.code).toBe("TOO_MANY_CLIENTS");
    one?.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    (await readFeed(server)).stop();
  });
});

function isEndOf({ type, payload }: TenonEvent, callId: string): boolean {
  return type === "TOOL_CALL_COMPLETED" && payload.callId === callId;
}

describe("stopping", () => {
  it("lets running calls answer, refuses new ones, and says goodbye to listeners", async () => {
    let release = (): void => {};
    let started = (): void => {};
    const begun = new Promise<void>((resolve) => (started = resolve));
    const held = defineTool({
      name: "held",
      description: "Ends when it may.",
      category: "custom",
      annotations: { readOnly: true },
      input: z.object({}),
      execute: () => {
        started();
        return new Promise<string>((resolve) => (release = () => resolve("done")));
      },
    });
    const here = await openTestServer({ tenonOptions: { tools: [held], builtIns: false } });
    const reader = await readFeed(here.server);
    const calling = here.post("/api/tools/held/call", {});
    await begun;
    const closing = here.server.close({ graceMs: 5000 });
    await expect(here.ask("/api/about")).rejects.toThrow("ECONNREFUSED"); // the port is shut
    release();
    expect((await calling).body).toSucceedWith("done");
    await closing;
    await reader.ended;
    expect(reader.items.map(({ event }) => event.type)).toContain("TOOL_CALL_COMPLETED");
    await here.close();
  });

  it("refuses what waits for a person at once, and cuts off what takes too long", async () => {
    const here = await openTestServer();
    const asking = here.post("/api/tools/ask_user/call", { arguments: { question: "Still there?" } });
    while ((await here.ask("/api/questions")).body.length === 0);
    const sleeping = here
      .post("/api/tools/sleep/call", { arguments: { duration: 60 } })
      .catch(() => "cut off");
    while (
      !(await here.ask("/api/calls")).body.some(
        ({ toolName, state }: { toolName: string; state: string }) =>
          toolName === "sleep" && state === "running",
      )
    );
    const began = performance.now();
    await here.server.close({ graceMs: 300 });
    expect((await asking).body).toFailWith("INTERACTION_FAILED");
    expect(await sleeping).toBe("cut off");
    expect(performance.now() - began).toBeLessThan(underLoad(3000));
    await here.close();
  });

  it("says which port is taken and the way out", async () => {
    const { server } = await open();
    const opening = openTestServer({ port: server.port });
    await expect(opening).rejects.toMatchObject({
      message: expect.stringContaining(`Port ${server.port} is already in use`),
      hint: expect.stringContaining("--port"),
    });
  });
});

/** A server that is nothing but a feed, and what its pages get. */
async function serveFeed(options: Partial<FeedOptions> = {}) {
  const feed = new Feed({ now: Date.now, ...options });
  let arriving: readonly [after?: number, sees?: SeesSession] = [];
  const server = createServer((_request, response) => feed.connect(response, ...arriving));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const push = (type: string, payload: object): void =>
    feed.push({ type, time: 1, payload } as unknown as TenonEvent);
  /** Open a page; gives what it has got, and how to close it. */
  const open = async (...asked: typeof arriving) => {
    arriving = asked;
    let text = "";
    const request = get({ host: "127.0.0.1", port }, (response) =>
      response.on("data", (chunk: Buffer) => (text += chunk.toString())),
    );
    await expect.poll(() => text).toContain("event: hello");
    const leave = async (): Promise<void> => {
      request.destroy();
      await expect.poll(() => feed.clients).toBe(0);
    };
    return { textOf: () => text, leave };
  };
  const close = (): void => {
    feed.close();
    server.close();
  };
  return { feed, push, open, close };
}

describe("events while no page is open", () => {
  it("are kept for a minute after the last one left, and only counted after that", async () => {
    let now = 1_000_000;
    const { feed, push, open, close } = await serveFeed({ now: () => now });
    push("CONFIG_CHANGED", { nobody: 1 });
    const first = await open(feed.lastId - 1);
    expect(first.textOf(), "before the first page").toContain('"reset":true');
    await first.leave();
    expect(feed.leftAt).toBe(now);
    now += 60_000;
    push("CONFIG_CHANGED", { kept: 1 });
    const second = await open(feed.lastId - 1);
    await expect.poll(second.textOf).toContain('"kept":1');
    expect(second.textOf()).toContain('"reset":false');
    await second.leave();
    now += 60_001;
    push("CONFIG_CHANGED", { counted: 1 });
    const third = await open(feed.lastId - 1);
    expect(third.textOf()).toContain('"reset":true');
    await third.leave();
    close();
  });
});

describe("a page of somebody who sees only some sessions", () => {
  it("gets the events of these and those about tools, but neither others nor alerts", async () => {
    const { push, open, close } = await serveFeed();
    const page = await open(undefined, (sessionId) => sessionId === "mine");
    push("TOOL_CALL_STARTED", { callId: "theirs", sessionId: "theirs" });
    push("AUDIT_ALERT", { sessionId: "mine", rule: "alert" });
    push("CONFIG_CHANGED", {});
    for (const type of ["TOOL_REGISTERED", "TOOL_UNREGISTERED", "TOOL_STATE_CHANGED"])
      push(type, { toolName: "t" });
    push("TOOL_CALL_STARTED", { callId: "last", sessionId: "mine" });
    await expect.poll(page.textOf).toContain('"callId":"last"');
    const types = [...page.textOf().matchAll(/"type":"([A-Z_]+)"/g)].map(([, type]) => type);
    expect(types).toEqual([
      "TOOL_REGISTERED",
      "TOOL_UNREGISTERED",
      "TOOL_STATE_CHANGED",
      "TOOL_CALL_STARTED",
    ]);
    await page.leave();
    close();
  });
});
