import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenon, type Tenon } from "../src/index.js";
import type { ShellResult } from "../src/tools/shell/shell-result.js";

describe.each([true, false])("the cause of a failure (on layers: %s)", (enabled) => {
  let root: string;
  let tenon: Tenon;

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-failures-")));
    for (const path of [
      "work/vault/key",
      "work/config/inner/secret.pem",
      "home/.ssh/config",
      "work/.husky/pre-commit",
      "work/vault/two words",
      "work/locked/list",
      "work/private/diary",
    ]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "x\n");
    }
    tenon = createTenon({
      workspace: join(root, "work"),
      home: join(root, "home"),
      config: {
        stateDir: join(root, "state"),
        files: { forbiddenPaths: ["vault/**", "**/*.pem"], protectedPaths: ["fixed/**"] },
        sandbox: {
          enabled: "required",
          layers: { enabled },
          limits: { cpuSeconds: 1, fileSize: 1_048_576, processes: 40, openFiles: 64, memory: 400_000_000 },
        },
        policy: {
          rules: [
            { decision: "allow", command: "cat *" },
            { id: "no-edits", decision: "deny", path: "locked/**", access: "write" },
            { id: "asks-first", decision: "ask", path: "private/**" },
          ],
        },
      },
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: join(root, "home"), SHELL: "/bin/bash" },
      interact: { approve: () => true },
    });
  });
  afterAll(async () => {
    await tenon.close();
    rmSync(root, { recursive: true, force: true });
  });

  const run = async (command: string, more: Record<string, unknown> = {}): Promise<ShellResult> => {
    const { result, error } = await tenon.call({
      name: "shell_exec",
      arguments: { command, timeout: 100_000, ...more },
    });
    if (error !== undefined) throw new Error(error.message);
    return result;
  };
  const notes = async (command: string, more?: Record<string, unknown>): Promise<string> =>
    (await run(command, more)).notes.join("\n");
  const python = (code: string): string => `python3 -c '${code}'`;

  it("is the rule or setting that keeps a path from it", async () => {
    expect(await notes("node -e 'fs.readFileSync(`vault/key`)'")).toMatch(
      /A rule hides vault\/key .*tenon policy explain/,
    );
    expect(await notes("wc config/inner/secret.pem; mv config other")).toMatch(
      /A rule hides config\/inner\/secret.pem[^]*config cannot be moved or removed/,
    );
    expect(await notes("touch /usr/new")).toContain('sandbox.writable: ["/usr/new"]');
    expect(await notes(python('open("/opt/new", "w")'))).toContain('sandbox.writable: ["/opt/new"]');
    expect(await notes("wc ~/.ssh/config")).toContain(`sandbox.readable: ["${root}/home/.ssh/config"]`);
    expect(await notes("wc /srv/elsewhere")).toContain('sandbox.readable: ["/srv/elsewhere"]');
    expect(await notes("wc missing /usr/missing; cat /etc/missing")).not.toMatch(
      /sandbox\.(?:read|writ)able|A rule/,
    );
  });

  it("is the policy's rule where no setting of the sandbox opens a path", async () => {
    const denied = await notes(python('open("locked/list", "w")'));
    expect(denied).toContain('The rule "no-edits" keeps commands from changing locked/list');
    expect(denied).not.toContain("sandbox.writable");
    expect(await notes(python('open("priv" + "ate/diary")'))).toContain(
      'The rule "asks-first" hides private/diary from commands unless the line names it',
    );
  });

  it("is about the path that a message names, not about the program that reports it", async () => {
    expect(await notes("ln -s locked way; echo x > way/list")).toContain(
      'The rule "no-edits" keeps commands from changing locked/list',
    );
    // A line from which the path can be read is denied before it runs.
    await expect(notes("/bin/sh -c 'echo x > way/list'")).rejects.toThrow('"no-edits" denies');
    const shell =
      'import subprocess, sys; sys.exit(subprocess.call(["/bin/sh", "-c", "echo x > w" + "ay/list"]))';
    const inner = await notes(python(shell));
    expect(inner).toContain('The rule "no-edits" keeps commands from changing locked/list');
    expect(inner).not.toContain("/bin/sh");
    expect(await notes("/usr/bin/touch /usr/new")).toMatch(/^\/usr\/new is outside/);
  });

  it("is told of a line that succeeded although a program in it failed", async () => {
    expect(await notes("wc vault/key | head -1")).toContain("A rule hides vault/key");
    expect(await notes("wc vault/key 2>&1 | tail -1")).toContain("A rule hides vault/key");
    expect(await notes("echo x >/usr/new || true")).toMatch(/^\/usr\/new is outside/);
    expect(await notes(`${python('open("lock" + "ed/list", "w")')} 2>&1 | tail -1`)).toContain(
      'The rule "no-edits" keeps commands',
    );
    // What a line prints on purpose is not an error of it.
    expect(await notes("echo 'wc: vault/key: Permission denied'")).not.toMatch(/A rule hides/);
    expect(await notes("wc missing || true")).not.toMatch(/A rule|sandbox\./);
  });

  it("names a path with spaces as a shell takes it", async () => {
    expect(await notes("node -e 'fs.readFileSync(`vault/two words`)'")).toContain(
      "tenon policy explain read_file 'path=vault/two words'",
    );
  });

  it("is the limit that it reached", async () => {
    expect(await notes("while :; do :; done")).toContain("sandbox.limits.cpuSeconds");
    expect(await notes("head -c 5000000 /dev/zero > large")).toContain("sandbox.limits.fileSize");
    expect(await notes(python('open("large", "wb").write(bytes(5000000))'))).toContain(
      "sandbox.limits.fileSize",
    );
    const many = python('import subprocess as s; a = [s.Popen(["sleep", "60"]) for _ in range(80)]');
    expect((await notes(many)).match(/sandbox\.limits\.processes/g)).toHaveLength(1);
    // Told by the kernel's count, whatever the program prints and however it ends.
    const caught = python(`
import subprocess
for _ in range(80):
  try: subprocess.Popen(["sleep", "60"])
  except OSError: pass`);
    expect(await run(caught)).toMatchObject({
      exitCode: 0,
      notes: expect.arrayContaining([expect.stringContaining("sandbox.limits.processes")]),
    });
    expect(await notes(python('a = [open("/dev/null") for _ in range(100)]'))).toContain(
      "sandbox.limits.openFiles",
    );
    expect(await notes("sleep 20 && touch x", { timeout: 300 })).toMatch(/time limit.* argument timeout/);
  });

  it("is a limit that a layer reaches: it copies a file before its first change", async () => {
    writeFileSync(join(root, "work/database"), Buffer.alloc(2_097_152));
    const line = "printf x | dd of=database conv=notrunc status=none";
    if (!enabled) return expect(await run(line)).toMatchObject({ exitCode: 0 });
    const said = await notes(line);
    expect(said).toContain("sandbox.limits.fileSize");
    expect(said).toContain("sandbox.layers.enabled");
    expect(await notes("head -c 5000000 /dev/zero | cat > large")).toContain("sandbox.limits.fileSize");
  });

  it("is the memory limit, where control groups are available", async () => {
    // Without a control group nothing limits the memory, and the command succeeds.
    const { exitCode, notes: said } = await run(python('a = b"x" * 900000000'));
    expect(said.join().includes("sandbox.limits.memory")).toBe(exitCode !== 0);
  });

  it("is a system call that the sandbox refuses", async () => {
    expect(await notes(python("import socket; socket.socket(socket.AF_UNIX)"))).toContain(
      "sandbox.unixSockets",
    );
    // As the client of Docker says it.
    const docker = await notes("echo 'unix /run/docker.sock: socket: operation not permitted' >&2; exit 1");
    expect(docker).toMatch(/such as that of Docker(?![^]*raw sockets)/);
    const raw = python("import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)");
    expect(await notes(raw)).toContain("refuses raw sockets");
    expect(await notes("unshare -Ur true")).toContain("create namespaces");
    expect(await notes(python("import os, signal; os.kill(os.getpid(), signal.SIGSYS)"))).toContain("SIGSYS");
  });

  it("is the missing route for UDP and for addresses", async () => {
    const udp = python(
      'import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9))',
    );
    expect(await notes(udp)).toContain("Only TCP connections are forwarded");
    expect(await notes(udp, { network: ["packages.example.org"] })).toContain("UDP and raw sockets are not");
    const direct = "env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY curl -sS http://192.0.2.1/";
    expect(await notes(direct, { network: ["packages.example.org"] })).toContain('network: ["192.0.2.1"]');
  });
});
