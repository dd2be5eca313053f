import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { users } from "./fixtures/layer-scenes.js";

const library = fileURLToPath(new URL("../dist/index.js", import.meta.url));
const script = `
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const { createTenon } = await import(process.argv[1]);
const root = mkdtempSync(join(tmpdir(), "tenon-tools-"));
const [workspace, stateDir] = [join(root, "workspace"), join(root, "state")];
mkdirSync(workspace);
const tenon = createTenon({
  workspace,
  home: root,
  config: { mode: "auto", stateDir, sandbox: { enabled: "required" } },
});
const runs = [];
for (const command of JSON.parse(process.argv[2])) {
  const { success, result, error } = await tenon.call({ name: "shell_exec", arguments: { command, timeout: 100_000 } });
  runs.push(success ? [result.stdout, result.committed, ...result.notes] : [error.message]);
}
await tenon.close();
const layers = readdirSync(stateDir).map((name) => join(stateDir, name, "layers")).filter(existsSync);
console.log(JSON.stringify({ runs, left: layers.flatMap((dir) => readdirSync(dir)) }));
rmSync(root, { recursive: true, force: true });
`;

/** Lines, and what they print. */
const lines: readonly (readonly [string, string])[] = [
  [
    "git init -q . && git config user.name a && git config user.email a@example.org && mkdir -p src/deep && echo one >src/a && echo c >src/deep/c && git add -A && git commit -qm one && git log --oneline | wc -l",
    "1\n",
  ],
  [
    "git checkout -q -b topic && echo two >>src/a && git commit -qam two && git checkout -q - && git merge -q topic && cat src/a",
    "one\ntwo\n",
  ],
  ["git clone -q . one && git clone -q . two && git clone -q one three && ls three", "src\n"],
  ["rm -rf one two three && ls", "src\n"],
  ["git mv src lib && git commit -qm moved && ls lib && git status --short", "a\ndeep\n"],
  ["echo x >>lib/a && git stash -q && git stash pop -q && git diff --numstat", "1\t0\tlib/a\n"],
  [
    "git tag v1 && git gc -q && git reset -q --hard && git fsck --no-progress --no-dangling && git status --short",
    "",
  ],
  [
    String.raw`printf 'out: in\n\tcp in out\n' >Makefile && echo 1 >in && make -s && touch in && make -s && make`,
    "make: 'out' is up to date.\n",
  ],
  ["rm -rf out lib/deep && mkdir out && echo built >out/x && cat out/x && ls lib", "built\na\n"],
  ["for i in $(seq 500); do echo $i >gen-$i; done; mkdir many && mv gen-* many/ && ls many | wc -l", "500\n"],
];

describe.each(users())("commands on layers as %s", (_, prefix) => {
  it("build on each other's changes, with git, make and shells", () => {
    const node = [process.execPath, "--input-type=module", "-e", script, library];
    const [file, ...args] = [...prefix, ...node, JSON.stringify(lines.map(([line]) => line))];
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" };
    const { runs, left } = JSON.parse(execFileSync(file, args, { encoding: "utf8", env })) as {
      runs: string[][];
      left: string[];
    };
    expect(runs).toEqual(lines.map(([, output]) => [output, "all"]));
    expect(left).toEqual([]);
  });
});
