// What the log of calls costs, and how fast it is read: against the same calls without it.
import { hash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

const args = { text: "hello", times: 2, loud: true, tag: "x" };
const echo = defineTool({
  name: "echo",
  description: "Give it back.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ text: z.string(), times: z.number(), loud: z.boolean(), tag: z.string().optional() }),
  execute: async ({ text, times }) => ({ text, times }),
});

const change = defineTool({
  ...echo,
  name: "change",
  annotations: {},
  execute: async ({ text, times }) => ({ text, times }),
});

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const policy = { rules: [{ decision: "allow", tool: "change" }] };
  const open = (name, config) =>
    createTenon({
      workspace: root,
      config: { stateDir: `${root}-${name}`, policy, ...config },
      tools: [echo, change],
    });
  const without = open("off", { audit: { enabled: false } });
  const logged = open("on", {});
  const strict = open("strict", { durability: "strict" });
  const call = (tenon) => () => tenon.call({ name: "echo", arguments: args });
  const results = await compare(
    { "without a log": call(without), "with a log": call(logged) },
    { callsPerRound: 3000 },
  );
  printTable("The log, one call after another", results, "without a log");
  const added = (kind) => results.get("with a log")[kind] - results.get("without a log")[kind];
  printGoal("the log adds, µs at the median", added("median"), 5);
  await compareBare(root, { logged, without, added: added("median") });
  const rates = { without: [], logged: [], strict: [] };
  for (let round = 0; round < 15; round++) {
    for (const [name, tenon] of Object.entries({ without, logged, strict }))
      rates[name].push(await inFlight(tenon, 64, 6000));
  }
  console.log("\n## 64 calls in flight, thousand a second\n");
  for (const [name, values] of Object.entries(rates))
    console.log(
      `- ${name}: ${(quantile(values, 0.5) / 1000).toFixed(0)} (best ${(Math.max(...values) / 1000).toFixed(0)})`,
    );
  const rateOf = (name) => quantile(rates[name], 0.5);
  printGoal("µs a call with 64 in flight", 1e6 / rateOf("logged"), 1000 / 80);
  printGoal(
    "time of a strict call, 64 in flight, against a default one",
    rateOf("logged") / rateOf("strict"),
    1 / 0.6,
  );
  await Promise.all([without.close(), strict.close()]);
  await readAll(logged);
  await logged.close();
  for (const name of ["", "-off", "-on", "-strict"])
    rmSync(`${root}${name}`, { recursive: true, force: true });
}

/** What a record costs at the least: the same bytes as JSON, hashed and written, in the same run. */
async function compareBare(root, { logged, without, added }) {
  const [record] = await logged.audit.search({ limit: 1 });
  const fd = openSync(`${root}-bare.jsonl`, "a");
  const bare = () => {
    const text = JSON.stringify(record);
    writeSync(fd, `${hash("sha256", text)} ${text}\n`);
  };
  const change = (tenon) => () => tenon.call({ name: "change", arguments: args });
  const results = await compare(
    { bare, "a change without a log": change(without), "a change with a log": change(logged) },
    { callsPerRound: 3000 },
  );
  closeSync(fd);
  rmSync(`${root}-bare.jsonl`);
  printTable("A record against the same bytes as JSON, hashed and written", results, "bare");
  const floor = results.get("bare").median;
  printGoal("a record of a read-only call, times the bare one", added / floor, 1.5);
  const two = results.get("a change with a log").median - results.get("a change without a log").median;
  printGoal("each of the two records of a change, times the bare one", two / 2 / floor, 1.5);
}

async function inFlight(tenon, width, calls) {
  let left = calls;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) await tenon.call({ name: "echo", arguments: args });
    }),
  );
  return calls / ((performance.now() - started) / 1000);
}

async function readAll(tenon) {
  const wanted = 1_000_000;
  while ((await count(tenon)) < wanted) await inFlight(tenon, 64, 50_000);
  console.log(`\n## Reading ${wanted.toLocaleString("en")} records\n`);
  const verifying = await timed(() => tenon.audit.verify());
  printGoal("verify, µs a record", (verifying.ms * 1000) / verifying.value.records, 5);
  const first = await timed(() => tenon.audit.search({ tool: "nothing" }));
  printGoal("first search, which builds the index, ms", first.ms, 3000);
  const queries = [
    { limit: 100 },
    { tool: "ec*", outcome: "denied" },
    { text: "nowhere to be found" },
    { text: "hello" },
    { taskId: "none" },
  ];
  for (const query of queries) {
    const times = [];
    for (let round = 0; round < 5; round++) times.push((await timed(() => tenon.audit.search(query))).ms);
    printGoal(`search ${JSON.stringify(query)}, ms`, quantile(times, 0.5), 100);
  }
  const exporting = await timed(async () => {
    let records = 0;
    for await (const _ of tenon.audit.export({ limit: 200_000 })) records++;
    return records;
  });
  console.log(`export: ${(exporting.value / exporting.ms).toFixed(0)} thousand records a second`);
}

let written = 0;

/** Counting by verification would take longer than writing. */
async function count(tenon) {
  if (written === 0) written = (await tenon.audit.verify()).records;
  else written += 50_000;
  return written;
}

async function timed(work) {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}
