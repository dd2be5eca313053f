import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleHeader } from "./api.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;

beforeAll(async () => {
  at = await openTestServer({ limits: { maxBody: 100_000, headersMs: 300, requestMs: 600, checkMs: 50 } });
});
afterAll(() => at.close());

const own = (): string => `http://127.0.0.1:${at.server.port}`;

describe("the token", () => {
  it.each(["/", "/api/about", "/api/feed", "/api/calls", "/metrics", "/mcp", "/assets/x.js", "/nowhere"])(
    "is needed for %s",
    async (path) => {
      const { status, body } = await at.ask(path, { bare: true });
      expect(status).toBe(401);
      expect(body.error.code).toBe("TOKEN_NEEDED");
    },
  );

  it("is needed to change anything", async () => {
    for (const method of ["POST", "DELETE", "PUT", "PATCH"])
      expect((await at.ask("/api/undo", { method, bare: true, body: { path: "a" } })).status).toBe(401);
  });

  it("lets nobody in when it is wrong, shorter, longer or of another scheme", async () => {
    const { token } = at.server;
    for (const wrong of [
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      "Bearer",
      `Basic ${token}`,
      token,
    ])
      expect((await at.ask("/api/about", { headers: { authorization: wrong } })).status).toBe(401);
  });

  it("of MCP hosts opens /mcp and nothing else, so that no host can consent to its own calls", async () => {
    const headers = { authorization: `Bearer ${at.server.mcpToken}` };
    const hello = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await at.ask("/mcp", { method: "POST", headers, body: hello })).status).not.toBe(401);
    for (const path of ["/api/approvals", "/api/about", "/metrics", "/", "/mcp/../api/about"])
      expect((await at.ask(path, { headers })).status).toBe(403);
  });

  it("is not taken from an address, however it came there", async () => {
    const { headers } = await at.signIn();
    const tokens = [at.server.token, at.server.mcpToken, at.server.controlKey, "wrong"];
    for (const token of tokens)
      for (const path of ["/", "/api/about", "/enter", "/mcp"])
        for (const more of [{}, headers, { authorization: `Bearer ${at.server.token}` }]) {
          const reply = await at.ask(`${path}?token=${token}`, { bare: true, headers: more });
          expect(reply.status).toBe(401);
          expect(reply.headers["set-cookie"]).toBeUndefined();
          expect(reply.body.error.hint).toContain("tenon serve link");
        }
  });

  it("is not needed to see that the server runs, and nothing else is told", async () => {
    expect((await at.ask("/health", { bare: true })).body).toEqual({ status: "ok" });
    const told = await at.ask("/health");
    expect(told.body).toMatchObject({ status: "ok", version: expect.any(String), calls: { running: 0 } });
  });
});

describe("the name that a request was sent to", () => {
  it.each([
    "evil.example",
    "evil.example:7420",
    "127.0.0.1.evil.example",
    "localhost@evil.example",
    "10.0.0.1",
  ])("is refused when it is %j, token or not", async (host) => {
    const reply = await at.ask("/api/about", { headers: { host } });
    expect([400, 421]).toContain(reply.status);
    expect([400, 421]).toContain((await at.ask("/health", { bare: true, headers: { host } })).status);
  });

  it("may be any of ours, at any port of a tunnel", async () => {
    for (const host of ["localhost", "LOCALHOST:1234", "127.0.0.1:9", "[::1]:7420", "localhost.:80"])
      expect((await at.ask("/api/calls", { headers: { host } })).status).toBe(200);
  });
});

describe("the site that a request comes from", () => {
  it("must be our own wherever a browser tells it", async () => {
    for (const origin of [
      "http://evil.example",
      "null",
      `http://127.0.0.1:${at.server.port + 1}`,
      `${own()}.evil`,
      "http://localhost",
      `http://evil.example:${at.server.port}`,
      `http://localhost:${at.server.port}@evil.example`,
    ]) {
      const { status, headers } = await at.ask("/api/calls", { headers: { origin } });
      expect(status).toBe(403);
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect((await at.ask("/health", { bare: true, headers: { origin } })).status).toBe(403);
      expect((await at.ask("/mcp", { method: "POST", body: {}, headers: { origin } })).status).toBe(403);
    }
    const { port } = at.server;
    for (const origin of [own(), `http://localhost:${port}`, `http://[::1]:${port}`])
      expect((await at.ask("/api/calls", { headers: { origin } })).status).toBe(200);
  });

  it("is a stranger where it lies at another port of this machine", async () => {
    const { headers: page } = await at.signIn();
    const headers = { ...page, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" };
    expect((await at.ask("/api/calls", { bare: true, headers })).status).toBe(403);
  });

  it("gets no leave by a preflight", async () => {
    const headers = { origin: "http://evil.example", "access-control-request-method": "POST" };
    const reply = await at.ask("/api/undo", { method: "OPTIONS", bare: true, headers });
    expect(reply.status).toBe(403);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("a request of the page that changes something", () => {
  const change = async (headers: Record<string, string>): Promise<number> => {
    const { headers: page } = await at.signIn();
    const path = "/api/tools/current_time/state";
    return (
      await at.ask(path, {
        method: "POST",
        bare: true,
        body: { enabled: true },
        headers: { ...page, ...headers },
      })
    ).status;
  };

  it("needs our Origin and the console's header", async () => {
    expect(await change({})).toBe(403);
    expect(await change({ origin: own() })).toBe(403);
    expect(await change({ [consoleHeader]: "1" })).toBe(403);
    expect(await change({ origin: "http://evil.example", [consoleHeader]: "1" })).toBe(403);
    expect(await change({ origin: own(), [consoleHeader]: "1" })).toBe(200);
  });

  it("cannot be a form", async () => {
    const { headers: page } = await at.signIn();
    const type = "application/x-www-form-urlencoded";
    const form = { method: "POST", bare: true, body: "enabled=true" };
    const path = "/api/tools/current_time/state";
    expect((await at.ask(path, { ...form, headers: { ...page, "content-type": type } })).status).toBe(403);
    expect(
      (await at.ask(path, { method: "POST", body: '{"enabled":true}', headers: { "content-type": type } }))
        .status,
    ).toBe(415);
  });

  it("is plain UTF-8, or refused: neither compressed nor in another character set", async () => {
    const change = async (headers: Record<string, string>): Promise<number> =>
      (
        await at.ask("/api/tools/current_time/state", {
          method: "POST",
          body: '{"enabled":true}',
          headers: { "content-type": "application/json", ...headers },
        })
      ).status;
    expect(await change({})).toBe(200);
    expect(await change({ "content-encoding": "gzip" })).toBe(415);
    expect(await change({ "content-type": "application/json; charset=utf-16" })).toBe(415);
  });
});

describe("every answer", () => {
  it("forbids frames, sniffing, inline scripts and keeping", async () => {
    for (const path of ["/api/calls", "/health", "/", "/nowhere.js"]) {
      const { headers } = await at.ask(path);
      expect(headers["content-security-policy"]).toContain("default-src 'self'");
      expect(headers["content-security-policy"]).toContain("script-src 'self';");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["cache-control"]).toBe("no-store");
    }
  });
});

/** Whatever the server says to raw bytes, until it hangs up. */
function talk(bytes: string, more?: (write: (text: string) => void) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(at.server.port, "127.0.0.1", () => {
      socket.write(bytes);
      more?.((text) => socket.writable && socket.write(text));
    });
    let heard = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => (heard += text));
    socket.on("error", () => {});
    socket.on("close", () => resolve(heard));
  });
}

describe("a client that sends badly", () => {
  const head = (): string =>
    `Host: localhost\r\nAuthorization: Bearer ${at.server.token}\r\nContent-Type: application/json\r\n`;

  it("is refused a body that is too large, said or not", async () => {
    const large = "x".repeat(150_000);
    expect((await at.post("/api/tools/current_time/call", { arguments: large })).status).toBe(413);
    const chunked = `POST /api/undo HTTP/1.1\r\n${head()}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    expect(await talk(chunked + chunk)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("is cut off when its headers or its body come too slowly", async () => {
    expect(await talk("GET /api/about HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")).toMatch(/^HTTP\/1\.1 408 /);
    expect(await talk(`POST /api/undo HTTP/1.1\r\n${head()}Content-Length: 50\r\n\r\n{"pa`)).toMatch(
      /^HTTP\/1\.1 408 |^$/,
    );
  });

  it("is refused when a header that decides comes twice", async () => {
    const { token } = at.server;
    for (const twice of [
      "Host: localhost\r\nHost: localhost",
      "Host: localhost\r\nhost: evil.example",
      `Host: localhost\r\nAuthorization: Bearer ${token}\r\nAuthorization: Bearer wrong`,
      `Host: localhost\r\nAuthorization: Bearer ${token}\r\nOrigin: ${own()}\r\nOrigin: http://evil.example`,
    ]) {
      const heard = await talk(`GET /health HTTP/1.1\r\n${twice}\r\nConnection: close\r\n\r\n`);
      expect(heard).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  it("cannot confuse it with other forms of request", async () => {
    for (const target of ["http://evil.example/api/about", "*", "//evil.example/api/about"]) {
      const heard = await talk(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(heard).toMatch(/^HTTP\/1\.1 40[014] /);
    }
    expect(await talk("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await talk("GET /health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 421 /);
    const whole = `GET http://localhost/api/about HTTP/1.1\r\n${head()}Connection: close\r\n\r\n`;
    expect(await talk(whole)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await talk("CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")).toBe("");
    expect(
      await talk(`GET /api/about HTTP/1.1\r\nHost: localhost\r\nX: ${"y".repeat(20_000)}\r\n\r\n`),
    ).toMatch(/ 431 /);
  });
});
