import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../run-program.js";
import { type Fixture, openFixture } from "../sandbox.fixture.js";
import { compileHosts } from "../../http/host-rules.js";
import { openNamespace } from "./namespace.js";
import { createSessionNetwork } from "./session-network.js";
import { openSessionNetworks } from "./session-networks.js";

const say = (text: string): string =>
  `require("net").createServer((c) => c.end("${text}")).listen(PORT, "127.0.0.1", () => console.log("up"))`;
const ask = (port: number): string =>
  `require("net").connect(${port}, "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`;

describe("the network of a session", () => {
  let fixture: Fixture;
  const stops: (() => Promise<unknown>)[] = [];
  const port = 4100;

  beforeAll(async () => {
    fixture = await openFixture();
    await fixture.sandbox.ready();
  });
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await fixture.close();
  });

  /** Start a server that runs until the test ends. */
  const serve = async (sessionId: string, text: string): Promise<void> => {
    const argv = [process.execPath, "-e", say(text).replace("PORT", String(port))];
    const wrapped = await fixture.wrap({ argv, sessionId, background: true });
    const child = spawn(wrapped.file, wrapped.args, {
      env: wrapped.env,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    });
    for (const { fd, data } of wrapped.extraFds) (child.stdio[fd] as NodeJS.WritableStream).end(data);
    stops.push(async () => {
      child.kill("SIGKILL");
      await once(child, "close");
      await wrapped.finish();
    });
    const [first] = (await once(child.stdout as Readable, "data")) as [Buffer];
    expect(first.toString().trim()).toBe("up");
  };

  it("lets a command reach a server of another command, and keeps sessions with the same port apart", async () => {
    await Promise.all([serve("one", "first"), serve("two", "second")]);
    const answers = await Promise.all(
      ["one", "two", "three", undefined].map((sessionId) => fixture.node(ask(port), { sessionId })),
    );
    expect(answers.map(({ stdout }) => stdout.trim())).toEqual([
      "first",
      "second",
      "ECONNREFUSED",
      "ECONNREFUSED",
    ]);
    const fromHost = connect(port, "127.0.0.1");
    const [error] = (await once(fromHost, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  it("gives commands no rights over it", async () => {
    const { stdout } = await fixture.sh("grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status; id -u", {
      sessionId: "one",
    });
    expect(stdout).toMatch(/^(Cap\w+:\t0+\n){3}\d+\n$/);
    expect(Number(stdout.trim().split("\n").at(-1))).toBe(
      process.getuid?.() === 0 ? 1000 : process.getuid?.(),
    );
    const low = await fixture.node(
      `require("net").createServer().on("error", (e) => console.log(e.code)).listen(80, () => console.log("up"))`,
      { sessionId: "one" },
    );
    expect(low.stdout.trim()).toBe("EACCES");
  });

  it("is a new one after the session has ended", async () => {
    await fixture.sandbox.endSession("one");
    const { stdout } = await fixture.node(ask(port), { sessionId: "one" });
    expect(stdout.trim()).toBe("ECONNREFUSED");
  });

  it("is listed among the facts of the sandbox", async () => {
    expect(await fixture.sandbox.facts()).toContainEqual(
      expect.objectContaining({ name: "network", status: "ok" }),
    );
  });
});

describe("a network namespace", () => {
  const common = { bwrap: "/usr/bin/bwrap", nsenter: "/usr/bin/nsenter" };
  const env = { PATH: "/usr/bin:/bin" };

  it.each([false, process.getuid?.() === 0])("lasts until it is closed (root: %s)", async (isRoot) => {
    const namespace = await openNamespace({ ...common, isRoot });
    const [file = "", ...args] = namespace.enter([
      "/bin/sh",
      "-c",
      "readlink /proc/self/ns/net; cat /proc/net/dev",
    ]);
    const run = () => runProgram({ file, args, env, timeoutMs: 10_000 });
    const [one, other] = await Promise.all([run(), run()]);
    expect(one.stdout).toBe(other.stdout);
    expect(one.stdout.match(/^\s*\w+:(?!\[)/gm)).toEqual([expect.stringContaining("lo:")]);
    namespace.close();
    expect((await run()).code).not.toBe(0);
  });

  it("keeps a port open for a command that begins while another one with the same port ends", async () => {
    const namespace = await openNamespace({ ...common, isRoot: process.getuid?.() === 0 });
    const network = createSessionNetwork(namespace, { hosts: compileHosts([]), allowPrivate: true });
    const first = await network.begin({ hosts: ["localhost:4101"] });
    const beginning = network.begin({ hosts: ["localhost:4101", "localhost:4102"] });
    await new Promise(setImmediate); // what it needs has been looked up
    first.end();
    await beginning;
    const connects = "exec 3<>/dev/tcp/127.0.0.1/4101";
    const [file = "", ...args] = namespace.enter(["/bin/bash", "-c", connects]);
    expect((await runProgram({ file, args, env, timeoutMs: 10_000 })).code).toBe(0);
    network.close();
  });

  it("is found by its process even if that is told after it has started", async () => {
    const slow = join(mkdtempSync(join(tmpdir(), "tenon-slow-bwrap-")), "bwrap");
    // Says that it is ready first, and which process it is in only then.
    writeFileSync(
      slow,
      `#!/bin/sh
exec unshare -rn sh -c 'echo; sleep 0.2; echo "{ \\"child-pid\\": $$ }" >&3; exec 3>&-; read -r line'
`,
      { mode: 0o755 },
    );
    const namespace = await openNamespace({ ...common, bwrap: slow, isRoot: false });
    expect(namespace.enter([])).toHaveLength(5);
    namespace.close();
  });

  it("is tried again for the next command, a few times", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-failing-bwrap-"));
    const [bwrap, tries] = [join(folder, "bwrap"), join(folder, "tries")];
    const failing = (times: number): void =>
      writeFileSync(
        bwrap,
        `#!/bin/sh
echo >> ${tries}
[ $(wc -l < ${tries}) -gt ${times} ] && exec ${common.bwrap} "$@"
echo busy >&2; exit 1
`,
        { mode: 0o755 },
      );
    failing(1);
    const open = () =>
      openSessionNetworks({
        bwrap,
        isRoot: false,
        search: { path: env.PATH, untrusted: [] },
        egress: { hosts: compileHosts([]), allowPrivate: true },
      });
    const networks = open();
    expect(await networks.forSession("one")).toBeUndefined();
    expect(networks.reason()).toBe("busy");
    const found = await networks.forSession("one");
    expect(found).toBeDefined();
    expect(await networks.forSession("one")).toBe(found);
    expect(networks.reason()).toBeUndefined();
    await networks.close();
    failing(1000);
    rmSync(tries);
    const hopeless = open();
    for (let at = 0; at < 5; at += 1) expect(await hopeless.forSession("one")).toBeUndefined();
    expect(readFileSync(tries, "utf8")).toHaveLength(3);
    await hopeless.close();
  });

  it("reports why it cannot be created", async () => {
    await expect(openNamespace({ ...common, bwrap: "/bin/false", isRoot: false })).rejects.toThrow(
      "bubblewrap ended without a message",
    );
    await expect(openNamespace({ ...common, bwrap: "/nonexistent", isRoot: false })).rejects.toThrow(
      "ENOENT",
    );
  });
});
