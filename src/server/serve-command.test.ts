import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Terminal } from "../cli/command-line.js";
import { runCommandLine } from "../cli/main.js";
import { certificate } from "../world/http/testing/certificate.js";
import { openTestServer } from "./testing/open-server.js";
import { underLoad } from "../../test/setup/under-load.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-serve-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly terminal: Terminal;
  readonly stop: () => void;
  readonly ended: Promise<void>;
  readonly out: () => string;
  readonly err: () => string;
  line(): Promise<string>;
}

/** The command line in this process, with a terminal that keeps what is said. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let [out, err] = ["", ""];
  stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const interrupt = new AbortController();
  const terminal: Terminal = {
    stdin: new PassThrough(),
    stdout,
    stderr,
    env: { PATH: process.env["PATH"], TENON_STATE_DIR: join(folder, "state"), ...env },
    cwd: folder,
    exitCode: 0,
    interrupted: interrupt.signal,
  };
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const words = args[0]?.startsWith("-") === false ? args[0].split(" ") : [];
  const rest = words.length === 0 ? args : args.slice(1);
  const ended = runCommandLine(["serve", ...words, "--workspace", workspace, ...rest], terminal);
  const line = async (): Promise<string> => {
    await Promise.race([new Promise((resolve) => stdout.once("data", resolve)), ended]);
    return out;
  };
  return { terminal, stop: () => interrupt.abort(), ended, out: () => out, err: () => err, line };
}

describe("tenon serve", () => {
  it("prints where it is, serves until it is interrupted, and ends well", async () => {
    const token = join(folder, "keys", "token");
    const serving = run(["--port", "0", "--json", "--token-file", token]);
    const said = JSON.parse(await serving.line()) as { url: string; token: string; link: string };
    expect(said.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter\?code=[\w-]{43}$/);
    expect(said.link).not.toContain(said.token);
    expect(readFileSync(token, "utf8").trim()).toBe(said.token);
    expect(statSync(token).mode & 0o777).toBe(0o600);
    const again = run(["--port", "0", "--json", "--token-file", token]);
    const other = JSON.parse(await again.line()) as { url: string; token: string };
    expect(other).toMatchObject({ token: said.token }); // a second one for the same workspace, at another port
    for (const { url } of [said, other]) {
      const reply = await fetch(`${url}/api/about`, { headers: { authorization: `Bearer ${said.token}` } });
      expect(await reply.json()).toMatchObject({ workspace: join(folder, "workspace") });
    }
    const began = performance.now();
    serving.stop();
    again.stop();
    await Promise.all([serving.ended, again.ended]);
    expect(performance.now() - began).toBeLessThan(underLoad(5000));
    expect(serving.terminal.exitCode).toBe(0);
    await expect(fetch(said.url)).rejects.toThrow("fetch failed");
  });

  it.runIf(process.platform === "linux")(
    "opens a browser with a link of its own that works once, and without the token",
    async () => {
      const bin = join(folder, "bin");
      mkdirSync(bin, { recursive: true });
      writeFileSync(
        join(bin, "xdg-open"),
        '#!/bin/sh\nprintf "%s\\n" "$@" "$TENON_TOKEN" > "$0.partial"\nmv "$0.partial" "$0.told"\n',
        {
          mode: 0o755,
        },
      );
      const token = "a-token-of-my-own-choice";
      const serving = run(["--port", "0", "--quiet", "--open"], {
        PATH: `${bin}:${process.env["PATH"]}`,
        TENON_TOKEN: token,
      });
      const link = /http\S+code=\S+/.exec(await serving.line())?.[0] ?? "";
      const told = join(bin, "xdg-open.told");
      await expect.poll(() => existsSync(told)).toBe(true);
      const text = readFileSync(told, "utf8");
      expect(text).not.toContain(token);
      const [opened = ""] = text.split("\n");
      expect(opened).not.toBe(link);
      for (const one of [opened, link]) {
        expect((await fetch(one)).status).toBe(200);
        expect((await fetch(one)).status).toBe(401);
      }
      serving.stop();
      await serving.ended;
    },
  );

  it("warns loudly where other machines can reach it", async () => {
    const serving = run(["--port", "0", "--host", "0.0.0.0", "--quiet"], {
      TENON_TOKEN: "a-token-of-my-own-choice",
    });
    const said = await serving.line();
    expect(said).toContain("/enter?code=");
    expect(said).not.toContain("a-token-of-my-own-choice");
    serving.stop();
    await serving.ended;
    expect(serving.err()).toContain("OPEN TO OTHER MACHINES");
  });

  it("refuses a port that is taken or is none, and a token that could be guessed", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => busy.once("listening", resolve));
    const port = String((busy.address() as AddressInfo).port);
    const taken = run(["--port", port]);
    await taken.ended;
    expect(taken.err()).toMatch(/Port \d+ is already in use[^]*--port/);
    expect(taken.terminal.exitCode).toBe(1);
    busy.close();
    for (const args of [
      ["--port", "70000"],
      ["--port", "x"],
    ]) {
      const wrong = run(args);
      await wrong.ended;
      expect(wrong.terminal.exitCode).toBe(2);
    }
    const weak = run(["--port", "0"], { TENON_TOKEN: "short" });
    await weak.ended;
    expect(weak.err()).toContain("at least 16");
    expect(weak.terminal.exitCode).toBe(2);
  });
});

describe("tenon serve link and sessions", () => {
  const serving: Run[] = [];
  afterEach(async () => {
    for (const one of serving.splice(0)) {
      one.stop();
      await one.ended;
    }
  });
  const serve = async (): Promise<{ url: string; token: string; link: string; port: number }> => {
    const one = run(["--port", "0", "--json"]);
    serving.push(one);
    return JSON.parse(await one.line()) as { url: string; token: string; link: string; port: number };
  };
  const ran = async (...args: string[]): Promise<Run> => {
    const done = run(args);
    await done.ended;
    return done;
  };

  it("make another link for the running server, and list and end its browsers", async () => {
    const { url, link } = await serve();
    const made = await ran("link");
    expect(made.out()).toMatch(new RegExp(`^${url}/enter\\?code=[\\w-]{43}\\n$`));
    for (const one of [link, made.out().trim()]) expect((await fetch(one)).status).toBe(200);
    expect((await fetch(made.out().trim())).status).toBe(401);
    const rows = JSON.parse((await ran("sessions list", "--json")).out()) as { id: string }[];
    expect(rows).toHaveLength(2);
    const listed = (await ran("sessions list")).out();
    expect(listed).toMatch(/ID +BROWSER +ADDRESS +SINCE +LAST SEEN\n/);
    expect(listed).toContain(rows[0]?.id);
    expect((await ran("sessions end", String(rows[0]?.id))).out()).toBe(`Ended ${rows[0]?.id}.\n`);
    expect((await ran("sessions end", String(rows[0]?.id))).terminal.exitCode).toBe(1);
    expect((await ran("sessions end", "all")).out()).toBe(`Ended ${rows[1]?.id}.\n`);
    expect((await ran("sessions list")).out()).toBe("No browsers are signed in.\n");
  });

  it("say which server is meant where several run, and that none does", async () => {
    const [one, other] = [await serve(), await serve()];
    const unsure = await ran("link");
    expect(unsure.terminal.exitCode).toBe(2);
    expect(unsure.err()).toContain(`--port: ${one.port}, ${other.port}`);
    expect((await ran("link", "--port", String(other.port))).out()).toContain(other.url);
    for (const running of serving.splice(0)) {
      running.stop();
      await running.ended;
    }
    const none = await ran("link");
    expect(none.terminal.exitCode).toBe(1);
    expect(none.err()).toContain("No server is running");
  });
});

describe("a token file", () => {
  it("is refused inside the workspace, by its path or through a link, and made outside", async () => {
    const workspace = join(folder, "workspace");
    mkdirSync(join(workspace, "deep"), { recursive: true });
    symlinkSync(join(workspace, "deep"), join(folder, "to-deep"));
    symlinkSync(join(workspace, "made-by-link"), join(folder, "dangling"));
    for (const file of [
      join(workspace, "token"),
      join(workspace, "deep", "new", "token"),
      join(folder, "to-deep", "token"),
      join(folder, "dangling"),
      join(folder, "x", "..", "workspace", "token"),
    ]) {
      const refused = run(["--port", "0", "--token-file", file]);
      await refused.ended;
      expect(refused.terminal.exitCode).toBe(2);
      expect(refused.err()).toContain("inside");
    }
    expect(readdirSync(workspace)).toEqual(["deep"]);
    expect(readdirSync(join(workspace, "deep"))).toEqual([]);
  });
});

describe("the console's files", () => {
  it("are sent packed and for ever where their name has a hash, and nothing beside them is", async () => {
    const built = join(folder, "console");
    mkdirSync(join(built, "assets"), { recursive: true });
    writeFileSync(join(built, "index.html"), "<!doctype html>");
    writeFileSync(join(built, "assets", "main-abc.js"), "plain");
    writeFileSync(join(folder, "secret.json"), "{}");
    symlinkSync(join(folder, "secret.json"), join(built, "linked.json"));
    const at = await openTestServer({ consoleFolders: [join(folder, "missing"), built] });
    try {
      const page = await at.ask("/");
      expect(page.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
      });
      const script = await at.ask("/assets/main-abc.js", { headers: { "accept-encoding": "gzip, br" } });
      expect(script).toMatchObject({ headers: { "content-encoding": "gzip", vary: "accept-encoding" } });
      expect(script.headers["cache-control"]).toContain("immutable");
      expect((await at.ask("/assets/main-abc.js", { headers: { "accept-encoding": "gzip;q=0" } })).text).toBe(
        "plain",
      );
      const outside = [
        "/../secret.json",
        "/%2e%2e/secret.json",
        "/assets/..%2f..%2fsecret.json",
        "/linked.json",
      ];
      for (const path of [
        ...outside,
        "/assets/%00",
        "/secret.json",
        "/assets/",
        "//etc/passwd",
        "/..\\secret.json",
      ])
        expect((await at.ask(path)).text).not.toContain("{}");
      expect((await at.ask("/linked.json")).status).toBe(404);
      expect((await at.ask("/some/page")).text).toBe("<!doctype html>");
    } finally {
      await at.close();
    }
  });
});

describe("tenon serve --tls-cert", () => {
  const files = () => {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key);
    return { cert, key };
  };

  it("encrypts, marks its cookies, and is found by the command line", async () => {
    const { cert, key } = files();
    const serving = run(["--port", "0", "--json", "--tls-cert", cert, "--tls-key", key]);
    const said = JSON.parse(await serving.line()) as { url: string; link: string; token: string };
    expect(said.url).toMatch(/^https:/);
    const { status, headers } = await askEncrypted(said.link);
    expect(status).toBe(200);
    expect(headers["set-cookie"]?.[0]).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
    const port = new URL(said.url).port;
    const plain = await fetch(`http://127.0.0.1:${port}/health`).catch((error: Error) => error);
    expect(plain).toBeInstanceOf(Error);

    const linked = run(["link", "--port", port, "--json"]);
    await linked.ended;
    expect(JSON.parse(linked.out())).toMatchObject({ link: expect.stringMatching(/^https:/) });

    // Another server that took the address over does not get the key.
    const record = join(folder, "state");
    const file =
      readdirSync(record, { recursive: true, encoding: "utf8" }).find((name) =>
        name.includes(`servers/${port}-`),
      ) ?? "";
    const recorded = JSON.parse(readFileSync(join(record, file), "utf8")) as { fingerprint: string };
    writeFileSync(
      join(record, file),
      JSON.stringify({ ...recorded, fingerprint: recorded.fingerprint.replace(/^../, "00") }),
    );
    const refused = run(["link", "--port", port]);
    await refused.ended;
    expect(refused.terminal.exitCode).toBe(1);
    expect(refused.err()).toContain("does not answer");
    serving.stop();
    await serving.ended;
  });

  it("refuses half of a pair, files that are not a certificate and its key, and a key that agents can read", async () => {
    const { cert, key } = files();
    const inside = join(folder, "workspace", "key.pem");
    mkdirSync(join(folder, "workspace"), { recursive: true });
    writeFileSync(inside, certificate.key);
    const tries: [string[], string][] = [
      [["--tls-cert", cert], "needed together"],
      [["--tls-key", key], "needed together"],
      [["--tls-cert", key, "--tls-key", cert], "cannot be used together"],
      [["--tls-cert", join(folder, "none"), "--tls-key", key], "Cannot read --tls-cert"],
      [["--tls-cert", cert, "--tls-key", inside], "where the agent's commands can read it"],
    ];
    for (const [args, told] of tries) {
      const serving = run(["--port", "0", ...args]);
      await serving.ended;
      expect(serving.err()).toContain(told);
      expect(serving.terminal.exitCode).toBe(2);
    }
    rmSync(inside);
  });
});

function askEncrypted(url: string): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    get(url, { ca: certificate.cert, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    }).on("error", reject);
  });
}

describe("MCP at /mcp", () => {
  it("answers a program that has the token", async () => {
    const at = await openTestServer();
    try {
      const { status, text, headers } = await at.ask("/mcp", {
        method: "POST",
        headers: { accept: "application/json, text/event-stream" },
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-11-25",
            capabilities: {},
            clientInfo: { name: "test", version: "1" },
          },
        },
      });
      expect(status).toBe(200);
      expect(text).toContain('"serverInfo":{"name":"tenon"');
      expect(headers["x-content-type-options"]).toBe("nosniff");
    } finally {
      await at.close();
    }
  });
});
