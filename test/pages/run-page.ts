import { execFile, type ExecFileException } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root, savedAs, type Block } from "./blocks.js";

/** What came of running a block. */
export interface BlockResult {
  readonly code: number;
  readonly output: string;
}

/** A folder in which the commands of one page run, one block after the other. */
export interface PageFolder {
  readonly workspace: string;
  run(block: Block): Promise<BlockResult>;
  close(): Promise<void>;
}

const files: Readonly<Record<string, string>> = {
  "README.md": "# Demo\n\nA project to try Tenon in.\n",
  "package.json":
    '{ "name": "demo", "private": true, "scripts": { "format": "node format.js", "test": "true" } }\n',
  "format.js": 'require("node:fs").appendFileSync("src/a.ts", "export const b = 2;\\n");\n',
  "src/a.ts": "export const a = 1;\n",
};

/** Servers run until the page is done, on any free port, with a token that later lines use. */
const functions = `
tenon() { case "$1 $2" in "serve link"|"serve sessions") program "$@" ;; "serve "*) server "$@" ;; *) program "$@" ;; esac; }
program() { node "$TENON_ROOT/bin/tenon.cjs" "$@" < /dev/null; }
server() {
  node "$TENON_ROOT/bin/tenon.cjs" "$@" --port 0 --token-file "$HOME/token" < /dev/null > "$HOME/server.log" 2>&1 &
  echo $! >> "$HOME/pids"
  for _ in $(seq 600); do
    grep -q "http://127.0.0.1:[1-9]" "$HOME/server.log" && break
    kill -0 $! 2> /dev/null || { cat "$HOME/server.log"; return 1; }
    sleep 0.1
  done
  cat "$HOME/server.log"
  grep -om1 "127.0.0.1:[0-9]*" "$HOME/server.log" | cut -d: -f2 > "$HOME/port"
}
`;

/** Prepare it, with a home folder of its own. */
export function openPageFolder(): PageFolder {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "tenon-docs-")));
  const [workspace, home, bin] = ["work", "home", "bin"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [workspace, home, bin, join(dir, "app")]) mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  // Packages that the pages run by npx are those of the tests, without network; a major version must be that one.
  const peers = join(root, "test", "peers", "node_modules");
  const npx = `#!/bin/sh
while [ "\${1#-y}" != "$1" ]; do shift; done
name=\${1%@[0-9]*}; version=\${1#"$name"}; shift
here=$(node -p "require('${peers}/$name/package.json').version")
case "$version" in ""|@"\${here%%.*}") ;; *) echo "the tests have $name@$here, not $version" >&2; exit 1 ;; esac
exec node "${peers}/$name/$(node -p "Object.values(require('${peers}/$name/package.json').bin)[0]")" "$@"
`;
  writeFileSync(join(bin, "npx"), npx);
  chmodSync(join(bin, "npx"), 0o755);
  const env = {
    PATH: [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TENON_ROOT: root,
    NO_COLOR: "1",
    LANG: "C.UTF-8",
  };
  let cwd = workspace;
  const readHome = (name: string): string => {
    try {
      return readFileSync(join(home, name), "utf8").trim();
    } catch {
      return ""; // no server was started
    }
  };
  return {
    workspace,
    async run(block) {
      const { text } = block;
      const saved = savedAs(block);
      if (saved !== undefined) {
        writeFileSync(join(cwd, saved), text);
        return { code: 0, output: "" };
      }
      const port = readHome("port");
      const commands = port === "" ? text : text.replaceAll("7420", port);
      const script = `set -eo pipefail\n${functions}\ncd "$FOLDER"\n${commands}\npwd > "$HOME/folder"\n`;
      const token = readHome("token");
      const person = block.words.includes("approve")
        ? approveCalls(`http://127.0.0.1:${port}`, token)
        : undefined;
      const result = await runScript(script, { ...env, FOLDER: cwd, TOKEN: token });
      clearInterval(person);
      cwd = readHome("folder") || cwd;
      return result;
    },
    async close() {
      for (const pid of readHome("pids").split("\n").filter(Boolean)) {
        try {
          process.kill(Number(pid), "SIGKILL");
        } catch {
          // it has ended
        }
      }
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** A person who allows everything that is asked. */
function approveCalls(url: string, token: string): NodeJS.Timeout {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const approve = async (): Promise<void> => {
    const waiting = (await (await fetch(`${url}/api/approvals`, { headers })).json()) as { id: string }[];
    for (const { id } of waiting)
      await fetch(`${url}/api/approvals/${id}`, { method: "POST", headers, body: '{"verdict":"once"}' });
  };
  return setInterval(() => void approve().catch(() => {}), 200); // the server may have ended
}

function runScript(script: string, env: Readonly<Record<string, string>>): Promise<BlockResult> {
  return new Promise((resolve) => {
    const options = { env, timeout: 300_000, maxBuffer: 16 * 1024 * 1024 };
    execFile("/bin/bash", ["-c", script], options, (error: ExecFileException | null, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}
