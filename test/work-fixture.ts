import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createTenon, type ApprovalRequest, type Tenon, type ToolEnvelope } from "../src/index.js";
import type { ShellResult } from "../src/tools/shell/shell-result.js";

/** A project with a registry for npm and Python and a git server, all on the loopback of this machine. */
export interface WorkFixture {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  /** `localhost:PORT` of the server. */
  readonly place: string;
  /** What people were asked. */
  readonly asked: ApprovalRequest[];
  readonly tenon: Tenon;
  put(path: string, text: string): void;
  call(name: string, args: Record<string, unknown>): Promise<ToolEnvelope>;
  run(command: string, more?: Record<string, unknown>): Promise<ShellResult>;
  /** The server answers no more. */
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

/** Open it. The tools of the machine are configured in the home folder, as a person would. */
export async function openWorkFixture(
  options: { readonly layers?: boolean; readonly path?: string; readonly sandbox?: object } = {},
): Promise<WorkFixture> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-work-")));
  const [workspace, home, files] = ["work", "home", "files"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [workspace, home, files]) mkdirSync(path);
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "").slice(1);
    const file = join(files, path);
    if (path === "left-pad") response.end(JSON.stringify(describePackage(files, place)));
    else if (path === "simple/leftpad/")
      response.setHeader("content-type", "text/html").end(`<a href="../../${wheelName}">${wheelName}</a>`);
    else if (statSync(file, { throwIfNoEntry: false })?.isFile() === true)
      response.setHeader("cache-control", "max-age=3600").end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = `localhost:${(server.address() as AddressInfo).port}`;
  buildWheel(files);
  buildRepository(root, files);
  writeFileSync(join(home, ".npmrc"), `registry=http://${place}/\n//${place}/:_authToken=secret\n`);
  mkdirSync(join(home, ".config/pip"), { recursive: true });
  // Without TLS, pip keeps only what comes from a trusted host.
  const pipSettings = `[global]\nindex-url = http://${place}/simple\ntrusted-host = localhost\n`;
  writeFileSync(join(home, ".config/pip/pip.conf"), pipSettings);
  const asked: ApprovalRequest[] = [];
  const tenon = createTenon({
    workspace,
    home,
    config: {
      stateDir: join(root, "state"),
      sandbox: { enabled: "required", layers: { enabled: options.layers ?? true }, ...options.sandbox },
    },
    env: { PATH: options.path ?? "/usr/local/bin:/usr/bin:/bin", HOME: home, SHELL: "/bin/bash" },
    interact: { approve: (request) => (asked.push(request), true) },
  });
  const call: WorkFixture["call"] = (name, args) => tenon.call({ name, arguments: args });
  const stopServer = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    root,
    workspace,
    home,
    place,
    asked,
    tenon,
    put(path, text) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    },
    call,
    async run(command, more = {}) {
      const { result, error } = await call("shell_exec", { command, timeout: 300_000, ...more });
      if (error !== undefined) throw new Error(`${error.message} ${error.hint ?? ""}`);
      return result as ShellResult;
    },
    stopServer,
    async close() {
      await tenon.close();
      await stopServer();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A package as a registry of npm describes it. */
function describePackage(files: string, place: string): unknown {
  const name = "left-pad";
  const dir = join(files, "../package-source");
  mkdirSync(join(dir, "package"), { recursive: true });
  const own = { name, version: "1.0.0", bin: { [name]: "cli.js" } };
  writeFileSync(join(dir, "package/package.json"), JSON.stringify(own));
  writeFileSync(join(dir, "package/cli.js"), "#!/usr/bin/env node\nconsole.log(42);\n", { mode: 0o755 });
  execFileSync("tar", ["--mtime=@0", "-czf", join(files, `${name}.tgz`), "-C", dir, "package"]);
  const bytes = readFileSync(join(files, `${name}.tgz`));
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const dist = { tarball: `http://${place}/${name}.tgz`, integrity };
  return { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { ...own, dist } } };
}

const wheelName = "leftpad-1.0-py3-none-any.whl";

/** A package for Python: an archive with a module and what is known of it. */
function buildWheel(files: string): void {
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("leftpad.py", "value = 42\\n")
    info = "leftpad-1.0.dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: leftpad\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "leftpad.py,,\\n" + info + "METADATA,,\\n" + info + "WHEEL,,\\n" + info + "RECORD,,\\n")
`;
  execFileSync("python3", ["-c", script, join(files, wheelName)]);
}

function buildRepository(root: string, files: string): void {
  const source = join(root, "source");
  mkdirSync(source);
  writeFileSync(join(source, "a.txt"), "cloned\n");
  const git = (cwd: string, ...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd });
  git(source, "init", "-q");
  git(source, "add", ".");
  git(source, "commit", "-qm", "first");
  git(root, "clone", "-q", "--bare", source, join(files, "repo.git"));
  git(join(files, "repo.git"), "update-server-info");
}
