import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { ClientCounts } from "./client-counts.js";
import { HttpError } from "./http-error.js";
import { limitHeaders } from "./limit-headers.js";
import { sendError } from "./send-error.js";
import { standingChanges } from "./standing-changes.js";

type Event = Parameters<ClientCounts["take"]>[0];

describe("the counts of clients", () => {
  const take = (counts: ClientCounts, type: string, name?: string, version?: string, agent = "a"): void =>
    counts.take({ type, payload: { client: name && { name, version }, agent } } as unknown as Event);

  it("tell calls, failures and questions of each client, the busiest first", () => {
    const counts = new ClientCounts();
    take(counts, "TOOL_CALL_COMPLETED", "one", "1");
    for (const type of ["TOOL_CALL_COMPLETED", "TOOL_CALL_FAILED", "APPROVAL_REQUESTED"])
      take(counts, type, "two");
    take(counts, "TOOL_CALL_STARTED", "three");
    take(counts, "TOOL_CALL_COMPLETED");
    take(counts, "APPROVAL_REQUESTED", "one", "2");
    expect(counts.rows()).toEqual([
      { client: "two", agent: "a", calls: 2, failures: 1, approvals: 1 },
      { client: "one", version: "2", agent: "a", calls: 1, failures: 0, approvals: 1 },
    ]);
  });

  it("are shared by all clients beyond the first two hundred", () => {
    const counts = new ClientCounts();
    for (let at = 0; at < 202; at++)
      take(counts, "TOOL_CALL_COMPLETED", `client-${at}`, undefined, `agent-${at}`);
    take(counts, "TOOL_CALL_COMPLETED", "client-199");
    const rows = counts.rows();
    expect(rows).toHaveLength(201);
    expect(rows.filter(({ calls }) => calls === 2)).toEqual([
      { client: "client-199", agent: "agent-199", calls: 2, failures: 0, approvals: 0 },
      { client: "_other", agent: "_other", calls: 2, failures: 0, approvals: 0 },
    ]);
  });
});

it.each([
  [undefined, {}],
  [
    { limit: 10, used: 4, per: "minute", availableAt: 31_000 },
    {
      "ratelimit-limit": "10",
      "ratelimit-remaining": "6",
      "ratelimit-reset": "30",
      "ratelimit-policy": "10;w=60",
    },
  ],
  [
    { limit: 10, used: 10, per: "hour", availableAt: 1001 },
    {
      "ratelimit-limit": "10",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "1",
      "ratelimit-policy": "10;w=3600",
      "retry-after": "1",
    },
  ],
  [
    { limit: 10, used: 12, per: "day", availableAt: 500 },
    {
      "ratelimit-limit": "10",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "0",
      "ratelimit-policy": "10;w=86400",
      "retry-after": "0",
    },
  ],
  [
    { limit: 1, used: 1, per: "other" },
    {
      "ratelimit-limit": "1",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "0",
      "ratelimit-policy": "1;w=0",
    },
  ],
])("a limit in headers: %o", (use, headers) => {
  expect(limitHeaders(use as Parameters<typeof limitHeaders>[0], 1000)).toEqual(headers);
});

it("counts the changes of each call that can be undone, also those that another call committed", async () => {
  const asked: unknown[] = [];
  const rows = [
    { callId: "a", undone: false },
    { callId: "a", undone: true },
    { callId: "a", commandCallId: "a", undone: false },
    { callId: "b", commandCallId: "a", undone: false },
    { callId: "c", undone: true },
  ];
  const history = async (query: unknown) => {
    asked.push(query);
    return rows;
  };
  const counts = await standingChanges({ history } as unknown as Parameters<typeof standingChanges>[0]);
  expect([...counts]).toEqual([
    ["a", 3],
    ["b", 1],
  ]);
  expect(asked).toEqual([{ limit: 10_000 }]);
});

describe("an answer about a fault", () => {
  /** All that the server says to a request whose answer may have begun. */
  async function say(error: HttpError, request: string, begun?: string): Promise<string> {
    const server = createServer((incoming, response) => {
      if (begun !== undefined) response.write(begun);
      sendError(incoming, response, error);
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    let text = "";
    socket.on("data", (more: string) => (text += more)).on("error", () => {});
    socket.write(request);
    await new Promise((done) => socket.on("close", done).on("end", done));
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    return text;
  }
  const ask = (...headers: readonly string[]): string =>
    `${["GET / HTTP/1.1", "Host: a", ...headers].join("\r\n")}\r\n\r\n`;
  const last = "Connection: close";
  const fault = new HttpError(
    503,
    { code: "STATE_BUSY", message: "It is busy.", hint: "Try again." },
    { retryAfter: 5 },
  );

  it("is JSON for programs, with the time to wait", async () => {
    const text = await say(fault, ask(last));
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toMatch(/\r\nretry-after: 5\r\n/i);
    expect(text).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i);
    expect(text).not.toMatch(/www-authenticate/i);
    expect(text).toContain(JSON.stringify(fault.body));
  });

  it("is text for a person, line by line", async () => {
    const text = await say(fault, ask("Accept: text/html,*/*", last));
    expect(text).toMatch(/\r\ncontent-type: text\/plain; charset=utf-8\r\n/i);
    expect(text).toContain("It is busy.\nTry again.\n");
    const bare = new HttpError(404, { code: "NOT_FOUND", message: "Nothing." });
    const other = await say(bare, ask("Accept: text/html", last));
    expect(other).toContain("Nothing.\n");
    expect(other).not.toMatch(/undefined|retry-after/i);
  });

  it("asks for a token where one is missing", async () => {
    const error = new HttpError(401, { code: "TOKEN_INVALID", message: "No.", hint: "Sign in." });
    expect(await say(error, ask(last))).toMatch(/\r\nwww-authenticate: Bearer realm="tenon"\r\n/i);
  });

  it("closes the connection of a request that was not read", async () => {
    const sized = ["POST / HTTP/1.1", "Host: a", "Content-Length: 1000", "", "part"].join("\r\n");
    const chunked = ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "", "4\r\npart"].join(
      "\r\n",
    );
    for (const request of [sized, chunked])
      expect(await say(fault, request)).toMatch(/\r\nconnection: close\r\n/i);
  });

  it("cuts off an answer that has begun", async () => {
    // Nothing else would end a connection that stays open for the next request.
    expect(await say(fault, ask(), "begun")).not.toMatch(/503|busy/);
  });
});
