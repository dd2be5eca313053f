// Commands as transactions: what the layer and its commit add to a command that changes the workspace directly.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

const commands = {
  nothing: ["sh -c :", 1.5],
  "100 changed files": ["for i in $(seq 100); do echo $RANDOM $i >f$i; done", 1.3],
  "10,000 reads": ["for n in $(seq 50); do cat f* >/dev/null; done; :", 1.1],
};

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const open = (name, enabled) => {
    const workspace = join(root, name);
    mkdirSync(workspace);
    for (let index = 1; index <= 200; index++) writeFileSync(join(workspace, `f${index}`), "x".repeat(1000));
    const config = { mode: "auto", stateDir: join(root, `${name}-state`), sandbox: { layers: { enabled } } };
    return createTenon({ workspace, config });
  };
  const [direct, layered] = [open("direct", false), open("layered", true)];
  const call = (tenon, command) => async () => {
    const { success, error } = await tenon.call({ name: "shell_exec", arguments: { command } });
    if (!success) throw new Error(error.message);
  };
  try {
    for (const [name, [command, goal]] of Object.entries(commands)) {
      const contenders = { direct: call(direct, command), "on a layer": call(layered, command) };
      const results = await compare(contenders, { rounds: 40, callsPerRound: 1 });
      printTable(`A command with ${name}`, results, "direct");
      const [one, other] = [...results.values()].map(({ median }) => median);
      printGoal(`${name}, on a layer against directly`, other / one, goal);
    }
  } finally {
    await Promise.all([direct.close(), layered.close()]);
    rmSync(root, { recursive: true, force: true });
  }
}
