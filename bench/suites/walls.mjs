// Rules about paths and commands: what 50 covers and pins add to a command, and the search for what globs name.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const opened = [];
  const open = (name, files, forbiddenPaths) => {
    const workspace = join(root, name);
    mkdirSync(workspace);
    for (const file of files) {
      mkdirSync(join(workspace, file, ".."), { recursive: true });
      writeFileSync(join(workspace, file), "x");
    }
    const config = { mode: "auto", stateDir: join(root, `${name}-state`), files: { forbiddenPaths } };
    const tenon = createTenon({ workspace, config });
    opened.push(tenon);
    return (command) => async () => {
      const { success, error } = await tenon.call({ name: "shell_exec", arguments: { command } });
      if (!success) throw new Error(error.message);
    };
  };
  try {
    await measureMounts(open);
    await measureWalk(open, root);
  } finally {
    await Promise.all(opened.map((tenon) => tenon.close()));
    rmSync(root, { recursive: true, force: true });
  }
}

async function measureMounts(open) {
  // 25 files in 25 folders: a cover and a pin each.
  const files = Array.from({ length: 25 }, (_, index) => `d${index}/${index}.pem`);
  const free = open("free", files, ["**/*.none"]);
  const held = open("held", files, ["**/*.pem"]);
  const results = await compare(
    { "no rule matches": free("sh -c :"), "25 covers and 25 pins": held("sh -c :") },
    { rounds: 40, callsPerRound: 1 },
  );
  printTable("A command with 50 covers and pins", results, "no rule matches");
  const [without, added] = [...results.values()].map(({ median }) => median / 1000);
  printGoal("ms that 50 covers and pins add", added - without, 3);
}

async function measureWalk(open, root) {
  const files = Array.from(
    { length: 20_000 },
    (_, index) => `${index % 20}/${Math.floor(index / 20) % 50}/f${index}.ts`,
  );
  const large = open("large", files, ["**/*.pem"]);
  const small = open("small", ["x"], ["**/*.pem"]);
  const ripgrep = findRipgrep();
  const list = () =>
    execFileSync(ripgrep, ["--files", "--hidden", "--no-ignore", join(root, "large")], { stdio: "ignore" });
  const results = await compare(
    {
      "rg --files": list,
      "a command, 20,000 files": large("echo x"),
      "a command, one file": small("echo x"),
    },
    { rounds: 30, callsPerRound: 1 },
  );
  printTable("The search for what a glob names among 20,000 files in 1,000 folders", results, "rg --files");
  const [rg, one, other] = [...results.values()].map(({ median }) => median);
  printGoal("the search against rg --files", (one - other) / rg, 1.1);
}

function findRipgrep() {
  const own = createRequire(import.meta.url);
  const within = createRequire(own.resolve("@vscode/ripgrep"));
  return within.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
}
