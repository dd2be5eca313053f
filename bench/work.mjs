// What agents keep together: saving and loading beside the bare statements, and a query over 100,000 memories.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as z from "zod";
import { createTenon, defineTool } from "../dist/index.js";
import { compare, printGoal, printTable, quantile } from "./measure.mjs";

const memories = 100_000;
const words = Array.from({ length: 20_000 }, (_, n) => `w${n.toString(36)}`);

export async function benchWork(root) {
  const workspace = join(root, "work");
  mkdirSync(workspace);
  const stateDir = join(root, "work-state");
  const nothing = defineTool({
    name: "nothing",
    description: "Do nothing.",
    category: "custom",
    input: z.object({ title: z.string(), content: z.string(), tags: z.array(z.string()) }),
    output: z.object({ id: z.string(), title: z.string(), content: z.string(), tags: z.array(z.string()) }),
    resources: () => ({ writes: [{ lock: "nothing" }] }),
    execute: async (input) => ({ id: "x", ...input }),
  });
  const tenon = createTenon({ workspace, config: { stateDir }, tools: [nothing] });
  await tenon.call({ name: "save_insight", arguments: memory() });
  await tenon.call({ name: "snippet_save", arguments: { name: "one", code } });
  await tenon.call({ name: "snippet_list", arguments: { query: "one" } });
  await benchStatements(tenon, stateDir);
  await benchQuery(tenon);
  await tenon.close();
}

/** The same statements on a copy of the database, with nothing around them. */
async function benchStatements(tenon, stateDir) {
  const bare = openBare(stateDir);
  let saved = 0;
  const results = await compare(
    {
      "one call": () => tenon.call({ name: "nothing", arguments: memory() }),
      "bare insert": () => bare.insert(++saved),
      save_insight: () => tenon.call({ name: "save_insight", arguments: memory() }),
      "bare upsert": () => bare.upsert(),
      snippet_save: () => tenon.call({ name: "snippet_save", arguments: { name: "one", code } }),
      "bare select": () => bare.select(),
      snippet_load: () => tenon.call({ name: "snippet_load", arguments: { name: "one" } }),
    },
    { rounds: 25, callsPerRound: 256 },
  );
  printTable("Saving and loading", results, "one call");
  console.log();
  for (const [tool, statement] of [
    ["save_insight", "bare insert"],
    ["snippet_save", "bare upsert"],
    ["snippet_load", "bare select"],
  ]) {
    const limit = 1.5 * results.get(statement).median + results.get("one call").median;
    printGoal(`µs of ${tool}, against 1.5 × the ${statement} and one call`, results.get(tool).median, limit);
  }
  bare.close();
}

const code = "x".repeat(500);

function openBare(stateDir) {
  const folder = readdirSync(stateDir).find((name) => name.length > 10) ?? "";
  const file = join(stateDir, "bare.db");
  const { DatabaseSync } = loadSqlite();
  const source = new DatabaseSync(join(stateDir, folder, "state.db"));
  source.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  source.close();
  copyFileSync(join(stateDir, folder, "state.db"), file);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  const insert = database.prepare(
    `INSERT INTO memories (kind, layer, iteration, title, content, tags, created_at, agent, origin, reason)
     VALUES ('insight', 'iteration', 1, ?, ?, '[]', ?, 'bench', NULL, NULL) RETURNING number`,
  );
  const index = database.prepare("INSERT INTO memories_text (rowid, terms) VALUES (CAST(? AS INTEGER), ?)");
  const keep = database.prepare(
    `INSERT INTO snippet_versions (snippet, version, code, description, language, tags, saved_at, agent)
     SELECT number, version, code, description, language, tags, updated_at, agent FROM snippets WHERE name = ?`,
  );
  const upsert = database.prepare(
    `INSERT INTO snippets (name, version, code, description, language, tags, created_at, updated_at, agent, touched)
     VALUES (?, 1, ?, '', 'plaintext', '[]', ?, ?, 'bench', (SELECT max(touched) + 1 FROM snippets))
     ON CONFLICT (name) DO UPDATE SET version = snippets.version + 1, code = excluded.code,
       updated_at = excluded.updated_at, touched = excluded.touched RETURNING number, version`,
  );
  const select = database.prepare("SELECT * FROM snippets WHERE name = ?");
  const waiting = [];
  return {
    /** Every 64th one brings the full text up to date, as the tool does. */
    insert(n) {
      const { title, content } = memory();
      insert.get(title, content, Date.now());
      waiting.push(`${title} ${content}`.replaceAll(/(^| )/g, "$1w"));
      if (waiting.length < 64) return;
      database.exec("BEGIN IMMEDIATE");
      waiting.splice(0).forEach((terms, at) => index.run(2 ** 40 - n * 100 + at, terms));
      database.exec("COMMIT");
    },
    upsert() {
      database.exec("BEGIN IMMEDIATE");
      keep.run("one");
      upsert.get("one", code, Date.now(), Date.now());
      database.exec("COMMIT");
    },
    select: () => select.get("one"),
    close: () => database.close(),
  };
}

function loadSqlite() {
  const require = createRequire(import.meta.url);
  try {
    return require("node:sqlite");
  } catch {
    return require("@photostructure/sqlite");
  }
}

async function benchQuery(tenon) {
  for (let n = await tenon.work.memories.count(); n < memories; n++) {
    await tenon.work.memories.save({ kind: "learning", ...memory() });
  }
  const ask = (query) => tenon.call({ name: "query_memory", arguments: { query } });
  await ask("warm up");
  const queries = {
    "a rare word": () => words[15_000 + Math.floor(Math.random() * 5000)],
    "a word that all hold": () => "caching",
    "three words": () => some(3),
    "eight words": () => some(8),
    "two Chinese characters": () => "缓存",
  };
  const times = new Map();
  for (const [name, query] of Object.entries(queries)) {
    const taken = [];
    for (let n = 0; n < 100; n++) {
      const started = performance.now();
      await ask(query());
      taken.push((performance.now() - started) * 1000);
    }
    times.set(name, taken);
  }
  const rows = [...times].map(([name, taken]) => [
    name,
    { median: quantile(taken, 0.5), mean: taken.reduce((sum, each) => sum + each, 0) / taken.length },
  ]);
  printTable(`query_memory over ${memories} memories`, new Map(rows), "a rare word");
  console.log();
  for (const [name, taken] of times) printGoal(`ms at p95 for ${name}`, quantile(taken, 0.95) / 1000, 20);
}

function memory() {
  return { title: `caching 缓存 ${some(5)}`, content: some(40), tags: [] };
}

/** Words as a language has them: few of them often, most of them seldom. */
function some(count) {
  return Array.from({ length: count }, () => {
    const at = Math.floor(Math.exp(Math.random() * Math.log(words.length))) - 1;
    return words[Math.max(at, 0)];
  }).join(" ");
}
