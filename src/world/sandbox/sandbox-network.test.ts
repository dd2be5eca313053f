import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, openFixture } from "./sandbox.fixture.js";

describe("the network inside the sandbox", () => {
  let fixture: Fixture;
  const servers: Server[] = [];
  let port = 0;
  let path = "";
  const abstract = `\0tenon-sandbox-test-${process.pid}`;

  const listen = (at: number | string): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => socket.end("reached"));
      server.on("error", reject);
      server.listen(at, () => resolve(server));
      servers.push(server);
    });

  beforeAll(async () => {
    fixture = await openFixture();
    const address = (await listen(0)).address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    path = join(fixture.workspace, "socket");
    await listen(path);
    await listen(abstract);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await fixture.close();
  });

  const connect = (target: unknown): string =>
    `require("net").connect(${JSON.stringify(target)}).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`;

  it("does not reach a server on the machine", async () => {
    const { stdout } = await fixture.node(connect({ port, host: "127.0.0.1" }));
    expect(stdout.trim()).toBe("ECONNREFUSED");
  });

  it("reaches no address and no name beyond it", async () => {
    const { stdout } = await fixture.node(connect({ port: 53, host: "1.1.1.1" }));
    expect(stdout.trim()).toMatch(/ENETUNREACH|ENETDOWN|EHOSTUNREACH/);
    const names = await fixture.node(
      `require("dns").lookup("example.com", (e) => console.log(e?.code ?? "found"))`,
    );
    expect(names.stdout.trim()).toBe("ENOTFOUND");
  });

  it("does not reach a unix socket, in the workspace or by an abstract name", async () => {
    for (const hosts of [[], ["*"]]) {
      for (const target of [path, abstract]) {
        const { stdout } = await fixture.node(connect({ path: target }), {
          network: { hosts },
          sessionId: "unix",
        });
        expect(stdout.trim()).toMatch(/EPERM|EACCES/);
      }
    }
  });

  it("reaches a unix socket where the person opened them, but no abstract one", async () => {
    const other = await openFixture({ workspace: fixture.workspace, settings: { unixSockets: true } });
    try {
      const run = async (target: string): Promise<string> =>
        (await other.node(connect({ path: target }), { cwd: fixture.workspace })).stdout.trim();
      expect(await run(path)).toBe("reached");
      expect(await run(abstract)).toBe("ECONNREFUSED");
    } finally {
      await other.close();
    }
  });

  it("reaches a server on the machine only if the command names it, not by a grant of every host", async () => {
    const options = { sessionId: "named" };
    const run = async (hosts: readonly string[]): Promise<string> => {
      const script = connect({ port, host: "127.0.0.1" });
      return (await fixture.node(script, { ...options, network: { hosts } })).stdout.trim();
    };
    expect(await run([`localhost:${port}`])).toBe("reached");
    expect(await run([`127.0.0.1:${port}`])).toBe("reached");
    expect(await run(["*"])).toBe("ECONNREFUSED");
    expect(await run([])).toBe("ECONNREFUSED");
    const lookup = `require("dns").lookup("localhost", (e, a) => console.log(e?.code ?? a))`;
    const found = await fixture.node(lookup, { ...options, network: { hosts: ["*"] } });
    expect(found.stdout.trim()).toMatch(/^(127\.0\.0\.1|::1)$/);
  });

  it("has a loopback of its own, for servers that a command starts and asks itself", async () => {
    const { stdout } = await fixture.node(`
      const s = require("net").createServer((c) => c.end("own")).listen(0, "127.0.0.1", () => {
        require("net").connect(s.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); s.close(); });
      })`);
    expect(stdout.trim()).toBe("own");
  });
});
