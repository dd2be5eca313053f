import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient, type HttpOptions } from "./http-client.js";
import { certificate } from "./testing/certificate.js";
import { answers, serve, serveRaw, serveSecure, type TestServer } from "./testing/servers.js";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

function client(options: Partial<HttpOptions> = {}): HttpClient {
  const made = createHttpClient({
    allowHosts: [],
    allowPrivate: false,
    maxBytes: 1_000_000,
    timeoutMs: 5000,
    ...options,
  });
  open.push(made);
  return made;
}

async function started(server: Promise<TestServer>): Promise<TestServer> {
  open.push(await server);
  return server;
}

const hello = () => started(serve((_request, response) => response.end("hello")));

const refusal = { name: "ToolPermissionError", code: "NETWORK_REFUSED" };

describe("the egress guard", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost..",
    "ｌｏｃａｌｈｏｓｔ",
    "a.localhost",
    "a.b.localhost.",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "10.0.0.1",
    "192.168.0.1",
    "172.16.0.1",
    "169.254.169.254",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "100.64.1.1",
    "metadata.google.internal",
    "metadata.google.internal.",
    "224.0.0.1",
    "255.255.255.255",
    "198.51.100.1",
    "user:pw@127.0.0.1",
    "example.com@127.0.0.1",
  ])("refuses http://%s/ without a connection", async (host) => {
    const server = await hello();
    const port = host.includes("metadata") ? 80 : server.port;
    await expect(client().request({ url: `http://${host}:${port}/` })).rejects.toMatchObject(refusal);
    expect(server.connections()).toBe(0);
  });

  it("reaches a private host that is allowed by name, and only at the port that is named", async () => {
    const [server, other] = [await hello(), await hello()];
    const http = client({ allowHosts: [`127.0.0.1:${server.port}`] });
    await expect(http.request({ url: `${server.url}/` })).resolves.toMatchObject({ status: 200 });
    await expect(http.request({ url: `${other.url}/` })).rejects.toMatchObject(refusal);
    await expect(http.request({ url: `http://127.1:${server.port}/` })).resolves.toMatchObject({
      status: 200,
    });
  });

  it("reaches private addresses where they are allowed, but neither metadata nor reserved ones", async () => {
    const server = await hello();
    const http = client({
      allowPrivate: true,
      lookup: answers({ "meta.test": [["169.254.169.254"]], "local.test": [["127.0.0.1"]] }),
    });
    await expect(http.request({ url: server.url })).resolves.toMatchObject({ status: 200 });
    await expect(http.request({ url: `http://local.test:${server.port}` })).resolves.toMatchObject({
      status: 200,
    });
    for (const url of [
      "http://169.254.169.254/",
      "http://[::ffff:a9fe:a9fe]/",
      "http://meta.test/",
      "http://100.100.100.200/",
      "http://224.0.0.1/",
    ]) {
      await expect(http.request({ url })).rejects.toMatchObject(refusal);
    }
  });

  it("opens a metadata address to its own name only, never to a wildcard or another name", async () => {
    const lookup = answers({ "meta.test": [["169.254.169.254"]] });
    const reached: string[] = [];
    const judge = ({ address }: { address?: string }) => {
      if (address === undefined) return;
      reached.push(address);
      throw new Error("far enough");
    };
    for (const allowHosts of [["*"], ["169.254.*"], ["meta.test"]]) {
      const http = client({ allowHosts, lookup, judge, allowPrivate: true });
      await expect(http.request({ url: "http://169.254.169.254/" })).rejects.toMatchObject(refusal);
      await expect(http.request({ url: "http://meta.test/" })).rejects.toMatchObject(refusal);
    }
    expect(reached).toEqual([]);
    const named = client({ allowHosts: ["169.254.169.254"], lookup, judge });
    await expect(named.request({ url: "http://meta.test/" })).rejects.toMatchObject(refusal);
    expect(reached).toEqual([]);
    await expect(named.request({ url: "http://169.254.169.254/" })).rejects.toThrow(/far enough/);
    expect(reached).toEqual(["169.254.169.254"]);
  });

  it("refuses a name that leads to a private address, and does not say to which", async () => {
    const server = await hello();
    const http = client({ lookup: answers({ "evil.test": [["127.0.0.1"]] }) });
    const error = await http
      .request({ url: `http://evil.test:${server.port}/` })
      .catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject(refusal);
    expect(JSON.stringify([(error as Error).message, { ...(error as object) }])).not.toContain("127.0.0.1");
    expect((error as Error).message).toContain(`evil.test:${server.port}`);
    expect(server.connections()).toBe(0);
  });

  it("never connects to a bad address among good ones", async () => {
    const server = await hello();
    const http = client({ lookup: answers({ "mixed.test": [["127.0.0.1", "203.0.113.5", "::1"]] }) });
    await expect(http.request({ url: `http://mixed.test:${server.port}/` })).rejects.toMatchObject(refusal);
    expect(server.connections()).toBe(0);
  });

  it("judges each answer of a name that changes its mind (DNS rebinding)", async () => {
    const server = await started(
      serve((_request, response) => {
        response.setHeader("connection", "close");
        response.end("hello");
      }),
    );
    const lookup = answers({ "rebind.test": [["127.0.0.1"], ["127.0.0.2"], ["10.0.0.1"]] });
    const allowed = new Set(["127.0.0.1"]);
    const judge = ({ address }: { address?: string }) => {
      if (address !== undefined && !allowed.has(address)) throw new Error("that is another address");
    };
    const http = client({ allowHosts: ["rebind.test"], lookup, judge });
    const url = `http://rebind.test:${server.port}/`;
    await expect(http.request({ url })).resolves.toMatchObject({ status: 200 });
    await expect(http.request({ url })).rejects.toMatchObject(refusal);
    expect(server.connections()).toBe(1);
  });

  it("keeps a connection that was judged, and asks the further rules for each request", async () => {
    const server = await hello();
    const seen: object[] = [];
    const http = client({
      allowHosts: ["127.0.0.1", "kept.test"],
      lookup: answers({ "kept.test": [["127.0.0.1"], ["10.0.0.1"]] }),
      judge: (target) => seen.push(target),
    });
    for (let turn = 0; turn < 3; turn++) await http.request({ url: `http://kept.test:${server.port}/` });
    expect(server.connections()).toBe(1);
    expect(seen.filter((target) => "address" in target).length).toBeGreaterThan(0);
    expect(seen.filter((target) => !("address" in target))).toHaveLength(3);
  });

  it.each([
    "file:///etc/passwd",
    "data:text/plain,hi",
    "ftp://example.com/",
    "unix:/var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
    "ws://example.com/",
    "javascript:alert(1)",
    "blob:https://example.com/1",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "about:blank",
  ])("refuses the scheme of %s", async (url) => {
    await expect(client({ allowHosts: ["*"], allowPrivate: true }).request({ url })).rejects.toMatchObject(
      refusal,
    );
  });

  it.each([22, 25, 6000, 6667, 10080])("refuses port %i, which belongs to another protocol", async (port) => {
    await expect(client().request({ url: `http://93.184.216.34:${port}/` })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining(String(port)),
    });
  });

  it("takes no proxy from the environment", async () => {
    const [proxy, server] = [
      await hello(),
      await started(serve((_request, response) => response.end("direct"))),
    ];
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: "1",
    });
    try {
      const { body } = await client({ allowHosts: ["127.0.0.1"] }).request({ url: server.url });
      expect(Buffer.from(body).toString()).toBe("direct");
      expect(proxy.connections()).toBe(0);
    } finally {
      for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"]) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});

describe("redirects", () => {
  it.each([
    "http://127.0.0.1:1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "//localhost/",
    "http://2130706433/",
    "file:///etc/passwd",
    "gopher://x/",
    "http://evil.test/",
    "http://public.test:22/",
  ])("to %s is refused", async (location) => {
    const inner = await hello();
    const server = await started(
      serve((_request, response) => {
        response.writeHead(302, { location: location.replace("evil.test", `evil.test:${inner.port}`) });
        response.end();
      }),
    );
    const lookup = answers({
      "front.test": [["127.0.0.1"]],
      "evil.test": [["127.0.0.1"]],
      "public.test": [["93.184.216.34"]],
    });
    const http = client({ allowHosts: ["front.test"], lookup });
    await expect(http.request({ url: `http://front.test:${server.port}/` })).rejects.toMatchObject(refusal);
    expect(inner.connections()).toBe(0);
  });

  it("drops credentials across origins and keeps them within one", async () => {
    const seen: Record<string, unknown>[] = [];
    const other = await started(
      serve((request, response) => {
        seen.push(request.headers);
        response.end("there");
      }),
    );
    const server = await started(
      serve((request, response) => {
        seen.push(request.headers);
        const location = request.url === "/" ? "/again" : `http://127.0.0.1:${other.port}/there#part`;
        response.writeHead(307, { location });
        response.end("moved");
      }),
    );
    const secrets = {
      authorization: "Bearer s",
      cookie: "a=b",
      "proxy-authorization": "Basic x",
      "x-api-key": "k",
      "x-auth-token": "t",
    };
    const answer = await client({ allowHosts: ["127.0.0.1"] }).request({
      url: `${server.url}/`,
      headers: { ...secrets, "x-other": "kept" },
    });
    expect(answer).toMatchObject({ status: 200, finalUrl: `${other.url}/there#part` });
    expect(seen[0]).toMatchObject(secrets);
    expect(seen[1]).toMatchObject(secrets);
    for (const name of Object.keys(secrets)) expect(seen[2]).not.toHaveProperty(name);
    expect(seen[2]).toHaveProperty("x-other", "kept");
  });

  it("turns credentials of the URL into a header that stays with its origin", async () => {
    const seen: (string | undefined)[] = [];
    const other = await started(
      serve((request, response) => {
        seen.push(request.headers.authorization);
        response.end();
      }),
    );
    const server = await started(
      serve((request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(302, { location: `http://attacker:pw@127.0.0.1:${other.port}/` });
        response.end();
      }),
    );
    const answer = await client({ allowHosts: ["127.0.0.1"] }).request({
      url: `http://us%20er:p%40ss@127.0.0.1:${server.port}/`,
    });
    expect(seen).toEqual([`Basic ${Buffer.from("us er:p@ss").toString("base64")}`, undefined]);
    expect(answer.finalUrl).toBe(`${other.url}/`);
  });

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [303, "HEAD", "HEAD", ""],
    [301, "PUT", "PUT", "data"],
    [307, "POST", "POST", "data"],
    [308, "PATCH", "PATCH", "data"],
  ])("after %i a %s goes on as %s", async (status, method, expected, body) => {
    let seen: object = {};
    const server = await started(
      serve((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          if (request.url === "/") {
            response.writeHead(status, { location: "/next" }).end();
            return;
          }
          const type = request.headers["content-type"];
          seen = { method: request.method, body: Buffer.concat(chunks).toString(), type };
          response.end();
        });
      }),
    );
    await client({ allowHosts: ["127.0.0.1"] }).request({
      url: `${server.url}/`,
      method,
      headers: { "content-type": "text/plain" },
      ...(method !== "HEAD" && { body: "data" }),
    });
    const typed = body !== "" || expected === "HEAD";
    expect(seen).toEqual({ method: expected, body, type: typed ? "text/plain" : undefined });
  });

  it("go no further than ten times", async () => {
    let turns = 0;
    const server = await started(
      serve((_request, response) => response.writeHead(302, { location: `/${++turns}` }).end()),
    );
    await expect(client({ allowHosts: ["127.0.0.1"] }).request({ url: server.url })).rejects.toMatchObject({
      code: "NETWORK_FAILED",
      retryable: false,
    });
    expect(turns).toBe(11);
  });

  it("from https to http are refused", async () => {
    const plain = await hello();
    const server = await started(
      serveSecure((_request, response) => response.writeHead(302, { location: plain.url }).end()),
    );
    const http = client({ allowHosts: ["127.0.0.1"], ca: certificate.cert });
    await expect(http.request({ url: server.url })).rejects.toMatchObject(refusal);
    expect(plain.connections()).toBe(0);
  });

  it("with an endless body do not hold the request up", async () => {
    const server = await started(
      serve((request, response) => {
        if (request.url === "/next") {
          response.end("there");
          return;
        }
        response.writeHead(302, { location: "/next" });
        const timer = setInterval(() => response.write("x".repeat(1000)), 5);
        response.on("close", () => clearInterval(timer));
      }),
    );
    const answer = await client({ allowHosts: ["127.0.0.1"] }).request({ url: server.url });
    expect(answer.status).toBe(200);
  });

  it("without a target are answers like others", async () => {
    const server = await started(serve((_request, response) => response.writeHead(302).end("nowhere")));
    const { status, body } = await client({ allowHosts: ["127.0.0.1"] }).request({ url: server.url });
    expect([status, Buffer.from(body).toString()]).toEqual([302, "nowhere"]);
  });
});

describe("TLS", () => {
  it("reaches a server whose certificate is trusted, by its name", async () => {
    const server = await started(serveSecure((_request, response) => response.end("safe")));
    const lookup = answers({ "secure.test": [["127.0.0.1"]], "wrong.test": [["127.0.0.1"]] });
    const http = client({ allowHosts: ["*.test"], ca: certificate.cert, lookup });
    await expect(http.request({ url: `https://secure.test:${server.port}/` })).resolves.toMatchObject({
      status: 200,
    });
    await expect(http.request({ url: `https://wrong.test:${server.port}/` })).rejects.toMatchObject({
      code: "NETWORK_FAILED",
      retryable: false,
    });
  });

  it("fails for good on a certificate that is not trusted", async () => {
    const server = await started(serveSecure((_request, response) => response.end("who")));
    await expect(client({ allowHosts: ["127.0.0.1"] }).request({ url: server.url })).rejects.toMatchObject({
      name: "ToolExecutionError",
      code: "NETWORK_FAILED",
      retryable: false,
      message: expect.stringContaining("TLS"),
    });
  });

  it("fails for good on a server that speaks no TLS", async () => {
    const server = await started(serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")));
    await expect(
      client({ allowHosts: ["127.0.0.1"] }).request({ url: `https://127.0.0.1:${server.port}` }),
    ).rejects.toMatchObject({
      code: "NETWORK_FAILED",
      retryable: false,
    });
  });
});
