import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import type { NetworkUse } from "../../contract/ports/processes.js";
import { compileHosts } from "../http/host-rules.js";
import type { HttpLookup } from "../http/guard-lookup.js";
import { type ProgramResult, runProgram } from "../sandbox/run-program.js";
import { type Fixture, openFixture } from "../sandbox/sandbox.fixture.js";

/** A sandbox whose granted names lead to servers of this test. */
export interface ForwarderFixture extends Fixture {
  /** Addresses of names, from the first look-up to the last; the last one is kept. */
  readonly addresses: Map<string, string[]>;
  /** The port of an HTTP server on the loopback of this machine that answers with the request line and body. */
  readonly httpPort: number;
  /** The port of a server that sends back what it gets. */
  readonly echoPort: number;
  /** Run a script inside with granted hosts. */
  granted(script: string, hosts: readonly string[], options?: GrantOptions): Promise<GrantedResult>;
}

export interface GrantOptions {
  readonly sessionId?: string;
  readonly shell?: boolean;
  readonly judge?: (host: string) => void;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GrantedResult extends ProgramResult {
  readonly use: readonly NetworkUse[];
}

/** Open it; `reachable` are the patterns of hosts that may be private. */
export async function openForwarderFixture(reachable: readonly string[]): Promise<ForwarderFixture> {
  const addresses = new Map<string, string[]>();
  const lookup: HttpLookup = (name, _options, done) => {
    const known = addresses.get(name) ?? [];
    const address = known.length > 1 ? known.shift() : known[0];
    if (address === undefined) return done(Object.assign(new Error(name), { code: "ENOTFOUND" }), []);
    done(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
  };
  const fixture = await openFixture({
    egress: { hosts: compileHosts(reachable), allowPrivate: false, lookup },
    settings: { limits: { openFiles: 4096 } },
  });
  await fixture.sandbox.ready();
  const http = createHttpServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const proxied = Object.keys(request.headers).filter((name) => name.startsWith("proxy"));
      response.end(`${request.method} ${request.url} ${request.headers.host} [${body}] ${proxied.join()}`);
    });
  });
  const echo = createServer({ allowHalfOpen: true }, (socket) => socket.on("error", () => {}).pipe(socket));
  const [httpPort, echoPort] = [await listen(http), await listen(echo)];
  return {
    ...fixture,
    addresses,
    httpPort,
    echoPort,
    async granted(script, hosts, { sessionId = "granted", shell = false, judge, env = {} } = {}) {
      const uses = new Map<string, NetworkUse>();
      const argv = shell ? ["/bin/bash", "-c", script] : [process.execPath, "-e", script];
      const wrapped = await fixture.wrap({
        argv,
        sessionId,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: fixture.home, ...env },
        network: { hosts, judge, onUse: (use) => uses.set(use.host, use) },
      });
      try {
        const result = await runProgram({ ...wrapped, timeoutMs: 20_000 }, (pid) =>
          wrapped.started({ pid, tag: `TENON_TEST=${sessionId}`, sandboxed: true }),
        );
        return { ...result, use: wrapped.networkUse() };
      } finally {
        await wrapped.finish();
      }
    },
    async close() {
      http.closeAllConnections();
      http.close();
      echo.close();
      await fixture.close();
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
