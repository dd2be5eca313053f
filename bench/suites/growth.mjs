// How the cost of a call grows with what else is there: tables of 1, 10, 100 …, and the exponent that comes of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { printGoal, quantile } from "../measure.mjs";

const upstream = fileURLToPath(new URL("../mcp-upstream.mjs", import.meta.url));
const input = z.object({ text: z.string() });
const defineEcho = (name) =>
  defineTool({
    name,
    description: "Give it back.",
    category: "custom",
    annotations: { readOnly: true },
    input,
    execute: async ({ text }) => ({ text }),
  });

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  let opened = 0;
  const open = (options = {}) => {
    const { config, ...others } = options;
    const workspace = join(root, `w${++opened}`);
    mkdirSync(workspace);
    const stateDir = join(root, `s${opened}`);
    const tenon = createTenon({
      workspace,
      tools: [defineEcho("echo")],
      ...others,
      config: { stateDir, ...config },
    });
    return { tenon, workspace };
  };
  try {
    for (const [what, { sizes, prepare, most = 0.15 }] of Object.entries(subjects)) {
      const rows = [];
      for (const size of sizes) {
        const { call, close } = await prepare(size, open);
        rows.push({ size, us: await timeOf(call) });
        await close();
      }
      report(what, rows, most);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A refusal costs more than a call, so it must not pass for one. */
const succeed = async (caller, name, args) => {
  const { success, error } = await caller.call({ name, arguments: args });
  if (!success) throw new Error(error.message);
};
const echo = (caller) => () => succeed(caller, "echo", { text: "hello" });
const upTo = (most) => Array.from({ length: Math.round(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));

/** What there is so many of, the call whose cost is measured, and the exponent that it may have. */
const subjects = {
  "calls in flight": {
    sizes: upTo(10_000),
    prepare: async (size, open) => {
      // By default no more than 1,000 calls may wait.
      const { tenon } = open({ config: { tools: { maxQueued: size } } });
      const one = echo(tenon);
      const all = async () => void (await Promise.all(times(size, one)));
      return { call: Object.assign(all, { calls: size }), close: () => tenon.close() };
    },
  },
  sessions: {
    sizes: upTo(10_000),
    prepare: async (size, open) => {
      const { tenon } = open();
      const sessions = times(size, () => tenon.createSession());
      for (const session of sessions) await echo(session)();
      return { call: echo(sessions[0]), close: () => tenon.close() };
    },
  },
  "rules on paths (read_file)": {
    sizes: upTo(1000),
    most: 1,
    prepare: async (size, open) => {
      const rules = times(size, (at) => ({ path: `folder${at}/**`, decision: "deny" }));
      const { tenon, workspace } = open({ config: { policy: { rules } } });
      writeFileSync(join(workspace, "file.txt"), "text\n");
      const read = () => succeed(tenon, "read_file", { path: "file.txt" });
      return { call: read, close: () => tenon.close() };
    },
  },
  tools: {
    sizes: upTo(10_000),
    prepare: async (size, open) => {
      const tools = [defineEcho("echo"), ...times(size, (at) => defineEcho(`tool_${at}`))];
      const { tenon } = open({ tools });
      return { call: echo(tenon), close: () => tenon.close() };
    },
  },
  "files in a folder (read_file)": {
    sizes: upTo(10_000),
    prepare: async (size, open) => {
      const { tenon, workspace } = open();
      for (let at = 0; at < size; at++) writeFileSync(join(workspace, `${at}.txt`), "text\n");
      let last = 0;
      const read = () => succeed(tenon, "read_file", { path: `${last++ % size}.txt` });
      return { call: read, close: () => tenon.close() };
    },
  },
  "log records (one more record)": {
    sizes: upTo(100_000),
    prepare: async (size, open) => {
      const { tenon } = open();
      for (let at = 0; at < size; at++) await echo(tenon)();
      return { call: echo(tenon), close: () => tenon.close() };
    },
  },
  "MCP servers (a tool of one of them)": {
    sizes: [1, 3, 10, 30],
    prepare: async (size, open) => {
      const server = { command: process.execPath, args: [upstream] };
      const mcpServers = Object.fromEntries(times(size, (at) => [`s${at}`, server]));
      const policy = { rules: [{ tool: "s0:*", decision: "allow" }] };
      const { tenon } = open({ config: { mcpServers, policy } });
      const call = () => succeed(tenon, "s0:echo", { text: "hello" });
      await call();
      return { call, close: () => tenon.close() };
    },
  },
  "memories (query_memory)": {
    sizes: upTo(1000),
    prepare: async (size, open) => {
      const { tenon } = open({ config: { mode: "auto" } });
      for (let at = 0; at < size; at++) {
        await succeed(tenon, "save_insight", {
          title: `Insight ${at}`,
          content: `Insight ${at} about subject${at % 97} and detail${at}.`,
        });
      }
      const query = () => succeed(tenon, "query_memory", { query: "subject5 detail" });
      return { call: query, close: () => tenon.close() };
    },
  },
};

/** µs of processor time of one call, the median of short rounds: other programs do not count. */
async function timeOf(call) {
  const perRun = call.calls ?? 1;
  const samples = [];
  const until = performance.now() + 1500;
  for (let round = 0; round < 60 && (round < 6 || performance.now() < until); round++) {
    const runs = Math.max(1, Math.floor(100 / perRun));
    const before = process.cpuUsage();
    for (let run = 0; run < runs; run++) await call();
    const { user, system } = process.cpuUsage(before);
    if (round >= 3) samples.push((user + system) / (runs * perRun));
  }
  return quantile(samples, 0.5);
}

function report(what, rows, most) {
  console.log(`\n## Cost of a call by ${what}\n\n| | µs a call |\n| ---: | ---: |`);
  for (const { size, us } of rows) console.log(`| ${size.toLocaleString("en")} | ${us.toFixed(1)} |`);
  // Over the last decades, where fixed costs no longer hide it: a call costs n to the power of this.
  const [from, to] = [rows.at(-3) ?? rows[0], rows.at(-1)];
  const exponent = Math.log(to.us / from.us) / Math.log(to.size / from.size);
  console.log();
  printGoal(`exponent of a call's cost by ${what}`, exponent, most);
}
