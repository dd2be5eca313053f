// What extensions and the cache cost: a cached read against a stat and a call, an empty list of extensions against one that was used and let go.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

// The log writes each result down whatever it took to get it; here the way to the result is measured.
const config = { mode: "auto", audit: { enabled: false } };

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-extend-"));
  const workspace = join(root, "ws");
  mkdirSync(workspace);
  try {
    await benchCache(workspace, join(root, "state"));
    await benchHooks(workspace, join(root, "state"));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const lines = Array.from({ length: 200 }, (_, at) => `const value${at} = compute(${at}, "name");`).join("\n");

async function benchCache(workspace, stateDir) {
  writeFileSync(join(workspace, "a.ts"), `${lines}\n`);
  let ctx;
  const result = { path: "a.ts", exists: true, type: "file", size: 1, modified: 1, created: 1, mode: "0644" };
  const same = defineTool({
    name: "same_shape",
    description: "A call that names a file and does nothing.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({ path: z.string() }),
    resources: ({ path }) => ({ reads: [{ path }] }),
    execute: (_input, given) => {
      ctx = given;
      return result;
    },
  });
  const open = (tools, cache) =>
    createTenon({ workspace, tools, config: { ...config, stateDir, tools: { cache } } });
  const tenon = open([same], {});
  const uncached = open([], { enabled: false });
  await wait(2100); // what changed just now is not kept
  const read = { name: "read_file", arguments: { path: "a.ts" } };
  const info = { name: "get_file_info", arguments: { path: "a.ts" } };
  for (let at = 0; at < 2; at++) for (const request of [read, info]) await tenon.call(request);
  const kept = await tenon.call(read);
  if (kept.metadata.cached !== true) throw new Error("the read was not cached");
  await tenon.call({ name: "same_shape", arguments: { path: "a.ts" } });
  const file = join(workspace, "a.ts");
  const results = await compare(
    {
      "fs.promises.stat": () => stat(file),
      "guarded stat": () => ctx.files.stat("a.ts"),
      "one call": () => tenon.call({ name: "same_shape", arguments: { path: "a.ts" } }),
      "cached read_file": () => tenon.call(read),
      "cached get_file_info": () => tenon.call(info),
      read_file: () => uncached.call(read),
    },
    { rounds: 30, callsPerRound: 500 },
  );
  printTable("A cached read (200 lines)", results, "one call");
  const at = (name) => results.get(name).median;
  console.log();
  printGoal(
    "a cached read against a guarded stat and one call",
    at("cached read_file") / (at("guarded stat") + at("one call")),
    1,
  );
  printGoal(
    "a cached read against fs.promises.stat and one call",
    at("cached read_file") / (at("fs.promises.stat") + at("one call")),
    1,
  );
  console.log(
    `        a read that is not cached costs ${(at("read_file") / at("cached read_file")).toFixed(1)} × as much`,
  );
  await Promise.all([tenon.close(), uncached.close()]);
}

async function benchHooks(workspace, stateDir) {
  const echo = defineTool({
    name: "echo",
    description: "Give it back.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({ text: z.string() }),
    execute: async ({ text }) => ({ text }),
  });
  const open = () => createTenon({ workspace, tools: [echo], config: { ...config, stateDir } });
  const [none, emptied, used] = [open(), open(), open()];
  const extension = {
    name: "onlooker",
    version: "1.0.0",
    description: "Looks on.",
    onToolExecute() {},
    onToolComplete() {},
  };
  const remove = emptied.use(extension);
  remove();
  used.use(extension);
  const request = { name: "echo", arguments: { text: "hello" } };
  const results = await compare(
    {
      "never an extension": () => none.call(request),
      "an empty list": () => emptied.call(request),
      "one that looks on": () => used.call(request),
    },
    { rounds: 40, callsPerRound: 5000 },
  );
  printTable("Extensions (echo)", results, "never an extension");
  const at = (name) => results.get(name).median;
  console.log();
  printGoal("an empty list against none", at("an empty list") / at("never an extension"), 1.05);
  await Promise.all([none.close(), emptied.close(), used.close()]);
}
