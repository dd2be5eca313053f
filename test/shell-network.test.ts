import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenon, type ApprovalRequest, type Tenon } from "../src/index.js";
import type { ShellResult } from "../src/tools/shell/shell-result.js";

/** A server on this machine's loopback: an npm registry, a git repository and an index of Python packages. */
let server: Server;
let root: string;
let place: string;
let tenon: Tenon;
const asked: ApprovalRequest[] = [];
let answer: "once" | "always" | "no" = "always";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    cwd,
    encoding: "utf8",
  });

/** A package as the registry describes it. */
function packageOf(name: string): unknown {
  const dir = join(root, "packages", name);
  mkdirSync(join(dir, "package"), { recursive: true });
  writeFileSync(join(dir, "package/package.json"), JSON.stringify({ name, version: "1.0.0" }));
  execFileSync("tar", ["-czf", join(root, "files", `${name}.tgz`), "-C", dir, "package"]);
  const bytes = readFileSync(join(root, "files", `${name}.tgz`));
  const dist = {
    tarball: `http://${place}/${name}.tgz`,
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
  };
  return { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name, version: "1.0.0", dist } } };
}

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-network-")));
  for (const name of ["work", "files", "source"]) mkdirSync(join(root, name));
  server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "").slice(1);
    const file = join(root, "files", path);
    if (/^left-\w+$/.test(path)) response.end(JSON.stringify(packageOf(path)));
    else if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  place = `localhost:${(server.address() as AddressInfo).port}`;
  const source = join(root, "source");
  git(source, "init", "-q");
  writeFileSync(join(source, "a.txt"), "cloned\n");
  git(source, "add", ".");
  git(source, "commit", "-qm", "first");
  git(root, "clone", "-q", "--bare", source, join(root, "files/repo.git"));
  git(join(root, "files/repo.git"), "update-server-info");
  tenon = createTenon({
    workspace: join(root, "work"),
    home: root,
    config: {
      mode: "auto",
      stateDir: join(root, "state"),
      sandbox: { enabled: "required" },
      policy: { rules: [{ decision: "deny", host: "*.example.net" }] },
    },
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: root, SHELL: "/bin/bash" },
    interact: { approve: (request) => (asked.push(request), answer === "no" ? false : { verdict: answer }) },
  });
});
afterAll(async () => {
  await tenon.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});

async function run(command: string, more: Record<string, unknown> = {}): Promise<ShellResult> {
  const envelope = await tenon.call({
    name: "shell_exec",
    arguments: { command, timeout: 300_000, ...more },
  });
  if (!envelope.success) throw new Error(envelope.error?.message);
  return envelope.result;
}

describe("a command with named hosts", () => {
  it("installs with npm after one consent that names the host, and asks no more for other packages", async () => {
    const install = (name: string): Promise<ShellResult> =>
      run(`npm install ${name} --registry http://${place} --no-audit --no-fund`, { network: [place] });
    const first = await install("left-pad");
    expect(first).toMatchObject({ exitCode: 0, sandboxed: true });
    expect(first.network).toContainEqual(
      expect.objectContaining({
        host: "localhost",
        verdict: "allowed",
        address: expect.any(String) as string,
      }),
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]?.preview?.details).toMatchObject({ network: [`${place} (new)`] });
    expect(asked[0]?.alwaysRule).toBe(`allow shell_exec running \`npm install *\` reaching ${place}`);
    expect(await install("left-other")).toMatchObject({ exitCode: 0 });
    expect(asked).toHaveLength(1);
    expect(await run("ls node_modules")).toMatchObject({ stdout: "left-other\nleft-pad\n" });
  });

  it("clones with git, downloads with Python and curl, and lists each host", async () => {
    answer = "once";
    const line = [
      `git clone -q http://${place}/repo.git clone && cat clone/a.txt`,
      `python3 -c 'import urllib.request as u; print(u.urlopen("http://${place}/repo.git/HEAD").read().decode())'`,
      `curl -sS http://${place}/repo.git/HEAD`,
    ].join(" && ");
    const result = await run(line, { network: [place] });
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^cloned\nref: [^]*ref: /) as string,
    });
    expect(result.network?.map(({ host, verdict }) => `${host} ${verdict}`)).toEqual(["localhost allowed"]);
  });

  it("is refused unasked if a rule denies one of them, and asks for a host that no rule allows", async () => {
    const before = asked.length;
    answer = "no";
    await expect(run("npm install left-pad", { network: ["other.example.org"] })).rejects.toThrow(
      /not allowed|declined|denied/i,
    );
    expect(asked.length).toBe(before + 1);
    expect(asked.at(-1)?.preview?.details).toMatchObject({ network: ["other.example.org (new)"] });
    await expect(run("curl x", { network: ["a.example.net"] })).rejects.toThrow("denies");
    expect(asked.length).toBe(before + 1);
  });

  it("without them reaches its session's servers only", async () => {
    const job = await run(
      `node -e 'require("http").createServer((q, s) => s.end("own")).listen(${new URL(`http://${place}`).port})'`,
      { background: true },
    );
    const ask = `until curl -s http://${place}/repo.git/HEAD; do sleep 0.1; done`;
    expect(await run(ask)).toMatchObject({ stdout: "own", exitCode: 0 });
    await tenon.call({ name: "shell_kill", arguments: { job_id: job.jobId } });
    expect(await run(`curl -sS http://${place}/`)).toMatchObject({ exitCode: 7 });
  });
});

it.each([
  [["http://packages.example.org"], "is not a host"],
  [["localhost"], 'for example "localhost:5432"'],
  [["packages.example.org:99999"], "is not a port"],
  [["*.*"], "is not a host"],
  [[""], "is not a host"],
])("refuses %j as hosts", async (network, message) => {
  await expect(run("true", { network })).rejects.toThrow(message);
});

describe("a command that the sandbox made fail", () => {
  const notes = async (command: string, more: Record<string, unknown> = {}): Promise<string> => {
    answer = "once";
    return (await run(command, more)).notes.join("\n");
  };

  it("names the hosts that it could not look up, at once and for every program", async () => {
    const expected = 'network: ["packages.example.org"]';
    expect(await notes("curl -sS https://packages.example.org/")).toContain(expected);
    expect(await notes("git clone -q https://packages.example.org/a.git")).toContain(expected);
    expect(
      await notes(`node -e 'fetch("https://packages.example.org").catch((e) => { throw e.cause })'`),
    ).toContain(expected);
    const install = await run("npm install left-pad --registry http://packages.example.org/");
    expect(install).toMatchObject({ timedOut: false });
    expect(install.notes.join()).toContain(expected);
  });

  it("names the hosts that it was refused, and keeps silent about those that it reached", async () => {
    const text = await notes(
      `curl -sS http://${place}/repo.git/HEAD && curl -sS http://cdn.example.org:8080/`,
      {
        network: [place],
      },
    );
    expect(text).toContain('network: ["cdn.example.org:8080"]');
    expect(text).not.toContain(`"${place}"`);
  });

  it("says which files are read-only, what needs a terminal and which limit was reached", async () => {
    expect(await notes("touch /usr/new")).toContain("sandbox.writable");
    expect(await notes("tty")).toContain("pty: true");
    expect(await notes(`perl -e 'kill "XFSZ", $$; sleep 5'`)).toContain("sandbox.limits.fileSize");
    expect(
      await notes(
        `python3 -c 'import socket; socket.socket(socket.AF_UNIX)'; echo "socket: operation not permitted"; false`,
      ),
    ).toContain("sandbox.unixSockets");
    expect(await notes("false")).not.toMatch(/sandbox\.|network|pty/);
  });
});
