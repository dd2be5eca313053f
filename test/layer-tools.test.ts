import { execFile, execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { Tenon } from "../src/runtime/tenon.js";
import type { ShellResult } from "../src/tools/shell/shell-result.js";
import { snapshot } from "../src/world/journal/testing/snapshot.js";

const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
let root: string;
let workspace: string;
/** Commands may look here for a file that lets them go on. */
let gate: string;
let env: Record<string, string>;
let tenon: Tenon;

function config(): object {
  const sandbox = { enabled: "required", readable: [modules, gate] };
  return { stateDir: join(root, "state"), mode: "auto", sandbox };
}

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tenon-layer-tools-")));
  workspace = join(root, "work");
  gate = join(root, "gate");
  for (const folder of [workspace, gate]) mkdirSync(folder);
  env = { PATH: process.env["PATH"] ?? "", HOME: root, SHELL: "/bin/sh" };
  tenon = createTenon({ workspace, config: config(), env, home: root });
});
afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

async function run(
  at: Tenon,
  line: string,
): Promise<{ readonly callId: string; readonly result: ShellResult }> {
  writeFileSync(join(workspace, "run.sh"), line);
  const call = { name: "shell_exec", arguments: { command: "sh run.sh", timeout: 100_000 } };
  const { result, error, callId } = await at.call(call);
  expect(error).toBeUndefined();
  return { callId, result: result as ShellResult };
}

/** A tool, what is there before, what it runs, and what is there then. */
const tools = [
  [
    "npm install",
    `mkdir -p lib; echo '{"name":"lib","version":"1.0.0","bin":"lib.js"}' >lib/package.json; printf '#!/usr/bin/env node\nconsole.log("lib")\n' >lib/lib.js; echo '{"name":"app","version":"1.0.0"}' >package.json; npm pack --silent ./lib`,
    "npm install --offline --no-audit --no-fund --silent ./lib-1.0.0.tgz && ./node_modules/.bin/lib",
    ["node_modules/lib/lib.js", "package-lock.json"],
  ],
  [
    "tsc",
    `mkdir -p src; echo 'export const one: number = 1;' >src/one.ts; echo 'import { one } from "./one.js"; console.log(one);' >src/two.ts`,
    `node ${modules}/typescript/bin/tsc --outDir out --module nodenext --target es2022 --types node --typeRoots ${modules}/@types src/two.ts && echo lib`,
    ["out/one.js", "out/two.js"],
  ],
  [
    "make",
    String.raw`printf 'all: a.out\n%%.out: %%.in\n\ttr a-z A-Z <$< >$@\n\techo lib\n' >Makefile; echo text >a.in; touch -d yesterday a.in`,
    "make -s && make -q",
    ["a.out"],
  ],
  [
    "python -m venv",
    ":",
    "python3 -m venv --without-pip env && env/bin/python -c 'print(\"lib\")'",
    ["env/pyvenv.cfg"],
  ],
] as const;

describe("the changes of a tool on a layer", () => {
  it.each(tools)("are committed and undone: %s", { timeout: 120_000 }, async (_, setUp, line, made) => {
    execFileSync("sh", ["-c", setUp], {
      cwd: workspace,
      stdio: "ignore",
      env: { ...process.env, HOME: root },
    });
    writeFileSync(join(workspace, "run.sh"), line);
    const before = snapshot(workspace);
    const { callId, result } = await run(tenon, line);
    expect(result).toMatchObject({ exitCode: 0, stdout: "lib\n", committed: "all", notes: [] });
    expect(Object.keys(snapshot(workspace))).toEqual(expect.arrayContaining([...made]));
    await tenon.undo({ callId });
    expect(snapshot(workspace)).toEqual(before);
  });
});

const cli = fileURLToPath(new URL("../bin/tenon.cjs", import.meta.url));

/** A call of another program on the same workspace. */
async function callElsewhere(command: string): Promise<ShellResult> {
  writeFileSync(join(root, "config.json"), JSON.stringify(config()));
  const args = [cli, "--json", "-c", join(root, "config.json"), "call", "shell_exec", command];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: workspace, env });
  return (JSON.parse(stdout) as { result: ShellResult }).result;
}

describe("two commits at once", () => {
  it("of two programs land one after the other, and one conflict is told", async () => {
    writeFileSync(join(workspace, "shared"), "start\n");
    for (const name of ["one", "two"]) {
      const line = `echo ${name} >>shared; echo ${name} >own-${name}; until [ -e ${gate}/open ]; do sleep 0.02; done`;
      writeFileSync(join(workspace, `${name}.sh`), line);
    }
    const call = tenon.call({ name: "shell_exec", arguments: { command: "sh one.sh" } });
    const elsewhere = callElsewhere("sh two.sh");
    // Both have changed the file before either can commit: the later one did not see the other's line.
    const changed = (): number =>
      readdirSync(join(root, "state"), { recursive: true, encoding: "utf8" }).filter((each) =>
        /layers\/layer_\w+\/upper\/own-(?:one|two)$/.test(each),
      ).length;
    await expect.poll(changed).toBe(2);
    writeFileSync(join(gate, "open"), "");
    const results = [(await call).result as ShellResult, await elsewhere];
    expect(new Set(results.map(({ committed }) => committed))).toEqual(new Set(["all", "part"]));
    const first = results[0]?.committed === "all" ? "one" : "two";
    expect(readFileSync(join(workspace, "shared"), "utf8")).toBe(`start\n${first}\n`);
    expect(results.flatMap(({ conflicts = [] }) => conflicts.map(({ path }) => path))).toEqual(["shared"]);
    for (const name of ["one", "two"])
      expect(readFileSync(join(workspace, `own-${name}`), "utf8")).toBe(`${name}\n`);
    const [kept] = await tenon.layers.list();
    const { diff } = await tenon.layers.show(kept?.id ?? "");
    expect(diff).toContain(`+${first === "one" ? "two" : "one"}\n`);
  });
});

describe("a workspace that others change all the time", () => {
  it("keeps what they wrote last, and gets what the command changed elsewhere", async () => {
    for (const name of ["busy", "calm"]) writeFileSync(join(workspace, name), "0\n");
    mkdirSync(join(workspace, "churn"), { recursive: true });
    let count = 0;
    const timer = setInterval(() => {
      count += 1;
      writeFileSync(join(workspace, "busy"), `${count}\n`);
      rmSync(join(workspace, `churn/${count - 1}`), { force: true });
      writeFileSync(join(workspace, `churn/${count}`), "");
    }, 5);
    try {
      for (let nth = 0; nth < 3; nth += 1) {
        const { result } = await run(
          tenon,
          `echo mine >>busy; echo ${nth} >>calm; ls churn >/dev/null; echo ${nth} >churn/mine; sleep 0.1`,
        );
        expect(result).toMatchObject({ exitCode: 0, committed: "part" });
        expect(result.conflicts?.map(({ path }) => path)).toEqual(["busy"]);
      }
    } finally {
      clearInterval(timer);
    }
    expect(readFileSync(join(workspace, "busy"), "utf8")).toBe(`${count}\n`);
    expect(readFileSync(join(workspace, "calm"), "utf8")).toBe("0\n0\n1\n2\n");
    expect(readFileSync(join(workspace, "churn/mine"), "utf8")).toBe("2\n");
  });
});
