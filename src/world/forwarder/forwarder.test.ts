import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openForwarderFixture, type ForwarderFixture } from "./testing.fixture.js";

const host = "packages.example.org";

describe("granted hosts", () => {
  let fixture: ForwarderFixture;
  let [httpPort, echoPort] = [0, 0];

  beforeAll(async () => {
    fixture = await openForwarderFixture(["*.example.org"]);
    fixture.addresses.set(host, ["127.0.0.1"]);
    fixture.addresses.set("private.example.net", ["10.0.0.1"]);
    fixture.addresses.set("loop.example.net", ["127.0.0.1"]);
    fixture.addresses.set("metadata.example.org", ["169.254.169.254"]);
    ({ httpPort, echoPort } = fixture);
  });
  afterAll(() => fixture.close());

  /** Connect, send, and print all that comes back, or the code of the error. */
  const send = (port: number, text: string): string =>
    `let n = 0; const s = require("net").connect(${port}, "${host}", () => s.end(${text}));
     s.on("data", (d) => (n += d.length)).on("error", (e) => console.log(e.code)).on("close", () => console.log(n));`;
  /** Send bytes to the proxy and print the first answer. */
  const toProxy = (bytes: string): string =>
    `const s = require("net").connect(new URL(process.env.HTTP_PROXY).port, "127.0.0.1", () => s.write(${bytes}));
     s.on("data", (d) => process.stdout.write(d.toString("latin1"))).on("error", (e) => console.log(e.code));`;

  it("are reached by curl, through each kind of proxy and without one", async () => {
    const url = `http://${host}:${httpPort}/a?b=1`;
    const { stdout, stderr, use } = await fixture.granted(
      [
        `curl -sS ${url} -d body`,
        `env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY curl -sS ${url}`,
        `curl -sS -p -x $HTTP_PROXY ${url}`,
        `curl -sS -x $SOCKS_PROXY ${url}`,
        `curl -sS -x socks5h://name:secret@\${SOCKS_PROXY#*//} ${url}`,
        `curl -sS -U name:secret ${url}`,
      ].join("; echo; "),
      [`${host}:${httpPort}`],
      { shell: true },
    );
    expect(stderr).toBe("");
    const place = `${host}:${httpPort}`;
    expect(stdout.split("\n")).toEqual([
      `POST /a?b=1 ${place} [body] `,
      ...Array.from({ length: 5 }, () => `GET /a?b=1 ${place} [] `),
    ]);
    const bytes = expect.any(Number) as number;
    const address = "127.0.0.1";
    expect(use).toEqual([
      {
        host,
        port: httpPort,
        address,
        verdict: "allowed",
        connections: 6,
        bytesSent: bytes,
        bytesReceived: bytes,
      },
    ]);
    expect(use[0]?.bytesReceived).toBeGreaterThan(500);
  });

  it("get everything that a program sends before it closes its side, and answer after that", async () => {
    const { stdout, use } = await fixture.granted(send(echoPort, `"x".repeat(3_000_000)`), [
      `*.example.org:${echoPort}`,
    ]);
    expect(stdout.trim()).toBe("3000000");
    expect(use[0]).toMatchObject({ bytesSent: 3_000_000, bytesReceived: 3_000_000 });
  });

  it("are the only ones: another name fails at once, another port and address are refused", async () => {
    const started = performance.now();
    const { stdout, use } = await fixture.granted(
      `for (const name of ["other.example.org", "example.net", "localhost.example.net"])
         require("dns").lookup(name, (e) => console.log(e?.code ?? "found"))`,
      [host],
    );
    expect(stdout.trim().split("\n")).toEqual(["ENOTFOUND", "ENOTFOUND", "ENOTFOUND"]);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(new Set(use.map((each) => `${each.host} ${each.verdict}`))).toEqual(
      new Set(["example.net refused", "localhost.example.net refused", "other.example.org refused"]),
    );
    const port = await fixture.granted(toProxy(`"CONNECT ${host}:${echoPort} HTTP/1.1\\r\\n\\r\\n"`), [
      `${host}:443`,
    ]);
    expect(port.stdout).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[^]*not granted this host/);
    expect(port.use).toMatchObject([{ host, port: echoPort, verdict: "refused" }]);
  });

  it("never lead to a private address by a name, an address or another spelling of it", async () => {
    const targets = [
      "private.example.net",
      "loop.example.net",
      "metadata.example.org",
      "127.0.0.1",
      "127.1",
      "0x7f000001",
      "2130706433",
      "0177.0.0.1",
      "localhost",
      "a.localhost",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "169.254.169.254",
      "metadata.google.internal",
      "0.0.0.0",
    ];
    const asked = targets.map((name) => `"CONNECT ${name}:${httpPort} HTTP/1.1\\r\\n\\r\\n"`);
    const { stdout, use } = await fixture.granted(
      `for (const text of [${asked.join()}]) {
         const s = require("net").connect(new URL(process.env.HTTP_PROXY).port, "127.0.0.1", () => s.write(text));
         s.once("data", (d) => { console.log(String(d).split(" ")[1]); s.destroy(); });
       }`,
      ["*"],
    );
    expect(stdout.trim().split("\n")).toEqual(targets.map(() => "403"));
    expect(use.every(({ verdict }) => verdict === "refused")).toBe(true);
    expect(use.map(({ reason }) => reason).join()).not.toContain("is refused");
    const socks = await fixture.granted(
      `const named = ${JSON.stringify(targets)}.map((name) => [3, name.length, ...Buffer.from(name)]);
       const mapped = [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1];
       for (const target of [...named, [1, 127, 0, 0, 1], [1, 169, 254, 169, 254], mapped, [4, ...Array(15).fill(0), 1]]) {
         const s = require("net").connect(new URL(process.env.HTTP_PROXY).port, "127.0.0.1", () => s.write(Buffer.from([5, 1, 0])));
         s.once("data", () => {
           s.write(Buffer.from([5, 1, 0, ...target, ${httpPort >> 8}, ${httpPort & 255}]));
           s.once("data", (d) => { console.log(d[1]); s.destroy(); });
         });
       }`,
      ["*"],
    );
    expect(socks.stdout.trim().split("\n")).toHaveLength(targets.length + 4);
    expect(socks.stdout).not.toMatch(/^0$/m);
  });

  it("never lead through the proxy to the proxy itself, whichever protocol is used for the way there", async () => {
    const place = `${host}:${httpPort}`;
    const { stdout, use } = await fixture.granted(
      [
        `curl -sS --preproxy $SOCKS_PROXY -x $HTTP_PROXY http://${place}/ || echo refused`,
        `curl -sS --noproxy "" -p -x $HTTP_PROXY http://\${HTTP_PROXY#*//}/ || echo refused`,
        `curl -sS --noproxy "" -p -x $HTTP_PROXY http://127.8.1.0:${httpPort}/ || echo refused`,
      ].join("; "),
      ["*", place],
      { shell: true },
    );
    expect(stdout.trim().split("\n")).toEqual(["refused", "refused", "refused"]);
    expect(use.map(({ verdict }) => verdict)).not.toContain("allowed");
  });

  it("are judged again when a name leads somewhere else at the next look-up", async () => {
    fixture.addresses.set("rebind.example.org", ["127.0.0.1", "169.254.169.254"]);
    const grant = [`rebind.example.org:${httpPort}`];
    const script = `curl -sS -o /dev/null -w '%{http_code}\\n' http://rebind.example.org:${httpPort}/`;
    const { stdout, use } = await fixture.granted(`${script}; ${script}`, grant, { shell: true });
    expect(stdout.trim().split("\n")).toEqual(["200", "403"]);
    expect(use.map(({ verdict }) => verdict)).toEqual(["allowed", "refused"]);
  });

  it("are refused if a rule denies them", async () => {
    const { stdout, use } = await fixture.granted(send(httpPort, `"x"`), [`*.example.org:${httpPort}`], {
      judge: () => {
        throw new Error("a rule denies it");
      },
    });
    expect(stdout.trim().split("\n")[0]).toBe("ENOTFOUND");
    expect(use).toMatchObject([{ host, verdict: "refused", reason: "a rule denies it" }]);
  });

  it("give no way out without the proxy, and none for UDP", async () => {
    const { stdout, use } = await fixture.granted(
      `require("net").connect(443, "93.184.216.34").on("error", (e) => console.log(e.code));
       const udp = require("dgram").createSocket("udp4").unref();
       udp.send("x", 443, "93.184.216.34", (e) => console.log(e?.code));
       ${toProxy(`Buffer.from([5, 1, 0])`)}
       s.once("data", () => s.write(Buffer.from([5, 3, 0, 1, 93, 184, 216, 34, 1, 187])));
       setTimeout(() => s.destroy(), 500);`,
      ["*"],
    );
    expect(stdout).toMatch(/ENETUNREACH[^]*ENETUNREACH/);
    expect(use).toMatchObject([
      { host: "93.184.216.34", verdict: "refused", reason: "UDP is not forwarded" },
    ]);
  });

  it("are not lent to another command of the session that runs at the same time", async () => {
    const place = `${host}:${httpPort}`;
    const options = { sessionId: "shared", shell: true };
    const wait = (file: string): string => `until [ -e ${file} ]; do sleep 0.02; done`;
    const [one, other] = await Promise.all([
      fixture.granted(
        `getent hosts ${host} | cut -d' ' -f1 > address; echo $HTTP_PROXY > proxy; touch ready; ${wait("done")}; curl -sS http://${place}/own`,
        [place],
        options,
      ),
      fixture.granted(
        `${wait("ready")}
         curl -sS -x $(cat proxy) http://${place}/stolen
         curl -sS http://$(cat address):${httpPort}/stolen
         curl -sS http://${host}:${httpPort}/stolen
         touch done`,
        [],
        options,
      ),
    ]);
    expect(one.stdout).toBe(`GET /own ${place} [] `);
    expect(one.use).toMatchObject([{ host, verdict: "allowed", connections: 1 }]);
    expect(other.stdout).not.toContain("[]");
    expect(other.use.map(({ verdict }) => verdict)).not.toContain("allowed");
  });

  it("are different for sessions that use the same ports", async () => {
    const place = `${host}:${httpPort}`;
    const curl = `curl -sS http://${place}/`;
    const results = await Promise.all(
      ["one", "two"].map((sessionId) => fixture.granted(curl, [place], { sessionId, shell: true })),
    );
    expect(results.map(({ stdout }) => stdout)).toEqual([`GET / ${place} [] `, `GET / ${place} [] `]);
  });
});

describe("the forwarder", () => {
  let fixture: ForwarderFixture;

  beforeAll(async () => {
    fixture = await openForwarderFixture(["*.example.org"]);
    fixture.addresses.set(host, ["127.0.0.1"]);
  });
  afterAll(() => fixture.close());

  const proxy = `new URL(process.env.HTTP_PROXY).port, "127.0.0.1"`;

  it("survives floods, half-open and slow connections, huge headers and what is no protocol at all", async () => {
    const place = `${host}:${fixture.httpPort}`;
    const { stdout, stderr } = await fixture.granted(
      `const net = require("net");
       const quiet = (s) => s.on("error", () => {}).on("data", () => {});
       for (let n = 0; n < 1000; n++) quiet(net.connect(${proxy}));
       const odd = [Buffer.alloc(4000, 0xff), Buffer.from([4, 1, 0, 80]), Buffer.from([5, 0]), Buffer.from([5, 255, 2]),
         Buffer.from("GET / HTTP/1.1\\r\\n"), Buffer.from("CONNECT nonsense HTTP/1.1\\r\\n\\r\\n"), Buffer.from("\\0")];
       for (const bytes of [[5], [5, 255, 2], [5, 1, 2]]) { const s = quiet(net.connect(${proxy}, () => s.write(Buffer.from(bytes)))); }
       setTimeout(() => {
         for (const bytes of odd) { const s = quiet(net.connect(${proxy}, () => s.end(bytes))); }
         setTimeout(() => process.exit(), 300);
       }, 300);`,
      [place],
    );
    expect([stdout, stderr]).toEqual(["", ""]);
    const slow = await fixture.granted(
      `const s = require("net").connect(${proxy}).on("data", (d) => { console.log(d.toString("hex")); process.exit(); });
       [5, 1, 0].forEach((byte, at) => setTimeout(() => s.write(Buffer.from([byte])), 50 * at));`,
      [place],
    );
    expect(slow.stdout.trim()).toBe("0500");
    const large = await fixture.granted(
      `const s = require("net").connect(${proxy}, () => s.write("GET http://${place}/ HTTP/1.1\\r\\nX: " + "y".repeat(200000)));
       s.on("data", (d) => { console.log(String(d).split("\\r")[0]); process.exit(); }).on("error", () => process.exit());`,
      [place],
    );
    expect(large.stdout.trim()).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    const after = await fixture.granted(`curl -sS http://${place}/after`, [place], { shell: true });
    expect(after.stdout).toBe(`GET /after ${place} [] `);
  });

  it("cannot be reached from the machine, and ends with its session", async () => {
    const place = `${host}:${fixture.httpPort}`;
    const { stdout } = await fixture.granted("echo $HTTP_PROXY", [place], { shell: true, sessionId: "ends" });
    const port = Number(new URL(stdout.trim()).port);
    const reach = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => resolve("connected"));
        socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "")).unref();
      });
    expect(await reach()).toBe("ECONNREFUSED");
    await fixture.sandbox.endSession("ends");
  });
});
