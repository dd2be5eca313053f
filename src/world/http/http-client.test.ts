import { createServer as createUnixServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient, type HttpOptions } from "./http-client.js";
import { answers, bodyOf, serve, serveRaw, type TestServer } from "./testing/servers.js";
import { underLoad } from "../../../test/setup/under-load.js";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

function client(options: Partial<HttpOptions> = {}): HttpClient {
  const made = createHttpClient({
    allowHosts: ["127.0.0.1", "*.test"],
    allowPrivate: false,
    maxBytes: 1_000_000,
    timeoutMs: 10_000,
    ...options,
  });
  open.push(made);
  return made;
}

async function started(server: Promise<TestServer>): Promise<TestServer> {
  open.push(await server);
  return server;
}

/** What a request fails with, taken at once so that no rejection goes unseen. */
const caught = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => undefined,
    (error: unknown) => error,
  );

const text = (body: Uint8Array) => Buffer.from(body).toString("utf8");
const timeout = { name: "ToolTimeoutError", code: "TIMED_OUT" };
const failure = { name: "ToolExecutionError", code: "NETWORK_FAILED" };

describe("a request", () => {
  it("carries method, headers and body, and brings status, headers, body and address back", async () => {
    const server = await started(
      serve((request, response) => {
        const seen = `${request.method} ${String(request.headers["x-mine"])} ${request.headers.host}`;
        response.writeHead(201, { "x-seen": seen });
        void bodyOf(request).then((body) => response.end(`got ${body}`));
      }),
    );
    const answer = await client().request({
      url: `${server.url}/path?q=a%20b#part`,
      method: "put",
      headers: { "X-Mine": "yes" },
      body: new TextEncoder().encode("ü"),
    });
    expect(answer).toMatchObject({
      status: 201,
      truncated: false,
      finalUrl: `${server.url}/path?q=a%20b#part`,
    });
    expect(answer.headers["x-seen"]).toBe(`PUT yes 127.0.0.1:${server.port}`);
    expect(text(answer.body)).toBe("got ü");
  });

  it("joins headers that come more than once, and leaves out names that reach into objects", async () => {
    const server = await started(
      serveRaw((socket) =>
        socket.end(
          "HTTP/1.1 200 OK\r\nA: 1\r\nA: 2\r\n__proto__: x\r\nconstructor: y\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n",
        ),
      ),
    );
    const { headers } = await client().request({ url: server.url });
    expect(headers).toEqual({ a: "1, 2", "set-cookie": "a=1, b=2", "content-length": "0" });
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  it.each([
    "not a url",
    "",
    "example.com",
    "http://",
    "http://[::1",
    "http://a b/",
    "http://exa\nmple.com/",
    "http://256.256.256.256/",
    "/path",
    "http://[fe80::1%25eth0]/",
  ])("needs a URL, which %j is not", async (url) => {
    await expect(client().request({ url })).rejects.toMatchObject({
      name: "ToolValidationError",
      code: "VALUE_INVALID",
      hint: expect.any(String),
    });
  });

  it.each([
    { "x-a": "b\r\nx-evil: 1" },
    { "x-a": "b\nc" },
    { "x-a": "b\0c" },
    { "x-a": "snow ☃" },
    { "x-a\r\nx-evil": "1" },
    { "x a": "1" },
    { "": "1" },
    { Host: "evil.test" },
    { "content-length": "3" },
    { "Transfer-Encoding": "chunked" },
    { connection: "close" },
    { "Keep-Alive": "x" },
    { upgrade: "h2c" },
    { TE: "trailers" },
    { trailer: "x" },
    { expect: "100-continue" },
    { "Proxy-Connection": "x" },
    { authorization: "a", Authorization: "b" },
    { "x-a": 1 as unknown as string },
    { "x-big": "y".repeat(100_000) },
  ] as Record<string, string>[])("refuses the headers %j", async (headers) => {
    const server = await started(serve((_request, response) => response.end()));
    await expect(client().request({ url: server.url, headers })).rejects.toMatchObject({
      name: "ToolValidationError",
      code: "VALUE_INVALID",
    });
    expect(server.connections()).toBe(0);
  });

  it.each(["CONNECT", "trace", "TRACK", "GET /evil HTTP/1.1\r\n", "", "G E T", "É"])(
    "refuses the method %j",
    async (method) => {
      await expect(client().request({ url: "http://127.0.0.1/", method })).rejects.toMatchObject({
        name: "ToolValidationError",
      });
    },
  );

  it("cannot reach a unix socket", async () => {
    const path = join(tmpdir(), `tenon-${process.pid}-${Math.round(performance.now())}.sock`);
    let connections = 0;
    const server = createUnixServer(() => connections++);
    await new Promise<void>((done) => {
      server.listen(path, done);
    });
    for (const url of [
      `http://unix:${path}:/`,
      `unix://${path}`,
      `http+unix://${encodeURIComponent(path)}/`,
      `http://${encodeURIComponent(path)}/`,
    ]) {
      await expect(client({ allowHosts: ["*"], lookup: answers({}) }).request({ url })).rejects.toThrow(
        /refused|not a URL|does not exist/,
      );
    }
    expect(connections).toBe(0);
    server.close();
  });

  it("uses a connection again", async () => {
    const server = await started(serve((_request, response) => response.end("again")));
    const http = client();
    for (let turn = 0; turn < 10; turn++) await http.request({ url: server.url });
    expect(server.connections()).toBe(1);
  });

  it("runs beside others", async () => {
    const server = await started(serve((request, response) => response.end(request.url)));
    const http = client();
    const asked = Array.from({ length: 50 }, (_, index) => `/${index}`);
    const bodies = await Promise.all(
      asked.map(async (path) => text((await http.request({ url: server.url + path })).body)),
    );
    expect(bodies).toEqual(asked);
  });
});

describe("the body", () => {
  const page = "readable ".repeat(500);
  const codings: readonly [string, Buffer][] = [
    ["gzip", gzipSync(page)],
    ["x-gzip", gzipSync(page)],
    ["GZIP", gzipSync(page)],
    ["br", brotliCompressSync(page)],
    ["deflate", deflateSync(page)],
    ["deflate", deflateRawSync(page)],
    ["gzip, br", brotliCompressSync(gzipSync(page))],
    ["deflate, gzip, br", brotliCompressSync(gzipSync(deflateRawSync(page)))],
    ["identity", Buffer.from(page)],
    ["gzip", Buffer.concat([gzipSync(page.slice(0, 100)), gzipSync(page.slice(100))])],
  ];

  it.each(codings)("is decoded from %s", async (encoding, bytes) => {
    const server = await started(
      serve((_request, response) => {
        response.setHeader("content-encoding", encoding);
        response.end(bytes);
      }),
    );
    const { body, headers, truncated } = await client().request({ url: server.url });
    expect([text(body), truncated]).toEqual([page, false]);
    expect(headers).not.toHaveProperty("content-encoding");
  });

  it("stays as it is in a coding that nobody knows", async () => {
    const server = await started(
      serve((_request, response) => response.setHeader("content-encoding", "zstd").end("raw")),
    );
    const { body, headers } = await client().request({ url: server.url });
    expect([text(body), headers["content-encoding"]]).toEqual(["raw", "zstd"]);
  });

  it("may be empty in any coding", async () => {
    const server = await started(
      serve((_request, response) => response.setHeader("content-encoding", "gzip").end()),
    );
    expect((await client().request({ url: server.url })).body).toHaveLength(0);
    expect((await client().request({ url: server.url, method: "HEAD" })).body).toHaveLength(0);
  });

  it.each([
    ["gzip", gzipSync(page).subarray(0, 40)],
    ["gzip", Buffer.from("this is no gzip")],
    ["br", Buffer.from("this is no brotli at all")],
    ["gzip, br", brotliCompressSync("no gzip inside")],
  ])("that is damaged in %s is an error", async (encoding, bytes) => {
    const server = await started(
      serve((_request, response) => response.setHeader("content-encoding", encoding).end(bytes)),
    );
    await expect(client().request({ url: server.url })).rejects.toMatchObject({
      ...failure,
      message: expect.stringMatching(/damaged/),
    });
  });

  it.each([
    [99, "x".repeat(99), false],
    [100, "x".repeat(100), false],
    [101, "x".repeat(100), true],
    [5000, "x".repeat(100), true],
  ])("of %i bytes is cut at a cap of 100 only if it is longer", async (size, expected, truncated) => {
    const server = await started(serve((_request, response) => response.end("x".repeat(size))));
    const answer = await client({ maxBytes: 100 }).request({ url: server.url, maxBytes: 200 });
    expect([text(answer.body), answer.truncated]).toEqual([expected, truncated]);
  });

  it("can be capped lower by the request", async () => {
    const server = await started(serve((_request, response) => response.end("x".repeat(5000))));
    expect((await client().request({ url: server.url, maxBytes: 10 })).body).toHaveLength(10);
    expect(await client().request({ url: server.url, maxBytes: 0 })).toMatchObject({ truncated: true });
    expect((await client().request({ url: server.url, maxBytes: Number.NaN })).body).toHaveLength(5000);
  });

  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
  const bombs: readonly [string, () => Buffer][] = [
    ["gzip", () => gzipSync(Buffer.alloc(100_000_000))],
    ["br", () => brotliCompressSync(Buffer.alloc(100_000_000), quick)],
    ["gzip, gzip", () => gzipSync(gzipSync(Buffer.alloc(100_000_000)))],
    ["br, gzip", () => gzipSync(brotliCompressSync(Buffer.alloc(100_000_000), quick))],
  ];

  it.each(bombs)(
    "that is a bomb in %s is cut at the cap without being inflated further",
    async (encoding, make) => {
      const bomb = make();
      const server = await started(
        serve((_request, response) => response.setHeader("content-encoding", encoding).end(bomb)),
      );
      const http = client({ maxBytes: 5_000_000 });
      const before = process.memoryUsage.rss();
      const began = performance.now();
      const answer = await http.request({ url: server.url });
      expect([answer.body.length, answer.truncated]).toEqual([5_000_000, true]);
      expect(process.memoryUsage.rss() - before).toBeLessThan(80_000_000);
      expect(performance.now() - began).toBeLessThan(underLoad(3000));
    },
  );

  it("that never ends is cut at the cap", async () => {
    const server = await started(
      serve((_request, response) => {
        const push = () => {
          while (response.write("x".repeat(10_000)));
        };
        response.on("drain", push);
        push();
      }),
    );
    expect(await client().request({ url: server.url })).toMatchObject({ truncated: true, status: 200 });
  });

  it("that never ends and holds nothing is cut too", async () => {
    const server = await started(
      serve((_request, response) => {
        response.setHeader("content-encoding", "gzip");
        response.write(gzipSync("").subarray(0, 10));
        // Stored blocks of no bytes, none of them the last.
        const hollow = Buffer.from("000000ffff".repeat(2000), "hex");
        const push = () => {
          while (response.write(hollow));
        };
        response.on("drain", push);
        push();
      }),
    );
    const answer = await client({ maxBytes: 10_000 }).request({ url: server.url });
    expect(answer).toMatchObject({ truncated: true });
    expect(answer.body).toHaveLength(0);
  });

  it("in a million pieces takes little memory", async () => {
    const piece = "1\r\nx\r\n".repeat(10_000);
    const server = await started(
      serveRaw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        let left = 100;
        const push = () => {
          while (left-- > 0) if (!socket.write(piece)) return socket.once("drain", push);
          return socket.end("0\r\n\r\n");
        };
        push();
      }),
    );
    const before = process.memoryUsage.rss();
    const { body } = await client({ maxBytes: 2_000_000 }).request({ url: server.url });
    expect(body).toHaveLength(1_000_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  });

  it.each([
    ["shorter than it says", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"],
    ["of chunks that break off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"],
    ["that never begins", ""],
  ])("%s is a failure that may pass", async (_name, answer) => {
    const server = await started(serveRaw((socket) => socket.once("data", () => socket.end(answer))));
    await expect(client().request({ url: server.url })).rejects.toMatchObject({
      ...failure,
      retryable: true,
    });
  });

  it("longer than it says ends where it says, and its rest is no answer to the next request", async () => {
    const server = await started(
      serveRaw((socket) =>
        socket.on("data", () =>
          socket.write(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
          ),
        ),
      ),
    );
    const http = client();
    const bodies: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const answer = await http.request({ url: server.url }).catch(() => undefined);
      bodies.push(answer === undefined ? "ok" : text(answer.body));
    }
    expect(bodies).toEqual(["ok", "ok", "ok"]);
  });
});

describe("the server", () => {
  it.each([
    ["speaks no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["has bad headers", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n"],
    ["says its length twice", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"],
    [
      "mixes length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["sends a megabyte of headers", `HTTP/1.1 200 OK\r\n${"x-a: y\r\n".repeat(130_000)}\r\n`],
    ["sends one header of a megabyte", `HTTP/1.1 200 OK\r\nx-a: ${"y".repeat(1_000_000)}\r\n\r\n`],
  ])("that %s fails for good", async (_name, answer) => {
    const server = await started(serveRaw((socket) => socket.once("data", () => socket.end(answer))));
    await expect(client().request({ url: server.url })).rejects.toMatchObject({
      ...failure,
      retryable: false,
    });
  });

  it("that breaks the connection off may be tried again", async () => {
    const server = await started(serveRaw((socket) => socket.once("data", () => socket.resetAndDestroy())));
    await expect(client().request({ url: server.url })).rejects.toMatchObject({
      ...failure,
      retryable: true,
    });
  });

  it("that is not there may be tried again, and its address stays unsaid", async () => {
    const server = await serve((_request, response) => response.end());
    await server.close();
    const http = client({ lookup: answers({ "gone.test": [["127.0.0.1"]] }) });
    const error = await http
      .request({ url: `http://gone.test:${server.port}/` })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ ...failure, retryable: true });
    expect((error as Error).message).not.toContain("127.0.0.1");
  });

  it("whose name does not exist fails for good; a lookup that failed may be tried again", async () => {
    await expect(client({ lookup: answers({}) }).request({ url: "http://no.test/" })).rejects.toMatchObject({
      ...failure,
      retryable: false,
    });
    const again = client({
      lookup: (_name, _options, callback) =>
        callback(Object.assign(new Error("again"), { code: "EAI_AGAIN" }), []),
    });
    await expect(again.request({ url: "http://no.test/" })).rejects.toMatchObject({
      ...failure,
      retryable: true,
    });
    const empty = client({ lookup: (_name, _options, callback) => callback(null, []) });
    await expect(empty.request({ url: "http://no.test/" })).rejects.toMatchObject({
      ...failure,
      retryable: false,
    });
  });
});

describe("the deadline", () => {
  const hangs: readonly [string, () => Promise<TestServer>][] = [
    ["before the headers", () => serveRaw(() => undefined)],
    [
      "in the headers",
      () => serveRaw((socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nx-a: "))),
    ],
    [
      "before the body",
      () =>
        serveRaw((socket) =>
          socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")),
        ),
    ],
    [
      "in the body",
      () =>
        serveRaw((socket) =>
          socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")),
        ),
    ],
    ["in endless early hints", () => serveRaw((socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\n\r\n"))],
    ["in dripping headers", () => serveRaw((socket) => drip(socket, "x", "HTTP/1.1 200 OK\r\nx-a: "))],
    ["in a dripping body", () => serveRaw((socket) => drip(socket, "x", "HTTP/1.1 200 OK\r\n\r\n"))],
    [
      "in a chain of slow redirects",
      () =>
        serve(
          (_request, response) => void setTimeout(() => response.writeHead(302, { location: "/" }).end(), 60),
        ),
    ],
    [
      "inside a gzip stream",
      () =>
        serve((_request, response) => {
          response.setHeader("content-encoding", "gzip");
          response.write(gzipSync("x".repeat(100_000)).subarray(0, 20));
        }),
    ],
  ];

  it.each(hangs)("ends a request that hangs %s", async (_name, hang) => {
    const server = await started(hang());
    const began = performance.now();
    await expect(client({ timeoutMs: 250 }).request({ url: server.url })).rejects.toMatchObject(timeout);
    expect(performance.now() - began).toBeLessThan(underLoad(2000));
  });

  it("ends a request that hangs in the lookup", async () => {
    const lookup = () => undefined;
    await expect(
      client({ timeoutMs: 100, lookup }).request({ url: "http://slow.test/" }),
    ).rejects.toMatchObject(timeout);
  });

  it("ends a TLS handshake that hangs", async () => {
    const server = await started(serveRaw(() => undefined));
    await expect(
      client({ timeoutMs: 200 }).request({ url: `https://127.0.0.1:${server.port}/` }),
    ).rejects.toMatchObject(timeout);
  });
});

describe("the caller's signal", () => {
  it("ends a request in whatever phase, and the connection with it", async () => {
    let ended = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      ended = resolve;
    });
    let arrived = (): void => undefined;
    const there = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await started(
      serve((_request, response) => {
        response.write("begun");
        response.on("close", () => ended());
        arrived();
      }),
    );
    const controller = new AbortController();
    const request = client().request({ url: server.url, signal: controller.signal });
    const rejected = caught(request);
    await there;
    controller.abort();
    expect(await rejected).toMatchObject({ name: "ToolCancelledError", code: "CANCELLED" });
    await gone;
  });

  it("that has fired already sends nothing", async () => {
    const server = await started(serve((_request, response) => response.end()));
    await expect(client().request({ url: server.url, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    expect(server.connections()).toBe(0);
  });

  it("that fires during the lookup ends the request at once", async () => {
    const controller = new AbortController();
    const request = client({ lookup: () => controller.abort() }).request({
      url: "http://slow.test/",
      signal: controller.signal,
    });
    await expect(request).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("is left without listeners", async () => {
    const server = await started(serve((_request, response) => response.end()));
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    await client().request({ url: server.url, signal });
    expect(listeners).toBe(0);
  });
});

describe("closing", () => {
  it("breaks off what runs, closes every connection and takes no more", async () => {
    let arrived = (): void => undefined;
    const there = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let closed = 0;
    const server = await started(
      serveRaw((socket) => {
        socket.once("close", () => closed++);
        socket.once("data", () => arrived());
      }),
    );
    const http = client();
    const running = caught(http.request({ url: server.url }));
    await there;
    await http.close();
    expect(await running).toMatchObject({ code: "RUNTIME_CLOSED" });
    await expect(http.request({ url: server.url })).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
    await expect.poll(() => closed).toBe(1);
  });

  it("breaks off connections that are still being made", async () => {
    let asked = (): void => undefined;
    const looking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const http = client({ lookup: () => asked() });
    const running = caught(http.request({ url: "http://slow.test/" }));
    await looking;
    await http.close();
    expect(await running).toMatchObject({ code: "RUNTIME_CLOSED" });
  });

  it("is possible before anything was asked for, and twice", async () => {
    const http = client();
    await http.close();
    await expect(http.close()).resolves.toBeUndefined();
  });
});

/** Writes a beginning and then one piece after the other for ever. */
function drip(socket: Socket, piece: string, beginning = ""): void {
  socket.once("data", () => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write(piece), 10);
    socket.once("close", () => clearInterval(timer));
  });
}
