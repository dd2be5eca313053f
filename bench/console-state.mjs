// A state as large as the console must stand, for `npm run bench console-load`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { createTenon, defineTool } from "../dist/index.js";

const wideServer = fileURLToPath(new URL("mcp-wide.mjs", import.meta.url));

/** Where a state and what it belongs to are, below a folder. @param {string} base */
export function placesBelow(base) {
  return {
    workspace: join(base, "workspace"),
    stateDir: join(base, "state"),
    config: join(base, "tenon.json"),
  };
}

/**
 * Build a workspace with its state, and last its configuration: where that is, the rest is whole.
 * @param {{ workspace: string, config: string, stateDir: string }} places
 * @param {{ records: number, nested: number, resultBytes: number, changes: number, servers: number, tools: number }} size
 */
export async function buildConsoleState(places, size) {
  mkdirSync(places.workspace, { recursive: true });
  const now = Date.now();
  const clock = pastClock(now);
  const tenon = createTenon({
    workspace: places.workspace,
    config: {
      stateDir: places.stateDir,
      mode: "auto",
      policy: { rules: [{ decision: "allow", tool: "*" }] },
    },
    tools: createTools(size),
    clock,
  });
  await writeRecords(tenon, clock, size.records);
  clock.set(now);
  await tenon.call({ name: "nest", arguments: {}, taskId: "deep" });
  await tenon.call({ name: "huge", arguments: {}, taskId: "huge" });
  const session = tenon.createSession({ id: "editor" });
  for (let at = 0; at < size.changes; at++)
    await session.call({
      name: "write_file",
      arguments: { path: `notes/${at % 200}.md`, content: `version ${at}\n` },
      taskId: `edit-${at % 400}`,
    });
  await tenon.close();
  const mcpServers = { wide: wideEntry(size.tools) };
  for (let at = 1; at < size.servers; at++) mcpServers[`server-${at}`] = { ...wideEntry(1), lazy: true };
  writeFileSync(places.config, JSON.stringify({ mode: "auto", stateDir: places.stateDir, mcpServers }));
}

function wideEntry(tools) {
  return { command: process.execPath, args: [wideServer, String(tools)] };
}

/** A month in which calls come evenly; `step` goes on by one call. */
function pastClock(now) {
  let behindMs = 0;
  return {
    now: () => Date.now() - behindMs,
    monotonic: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    /** @param {number} time */
    set: (time) => {
      behindMs = Math.max(0, now - time);
    },
  };
}

function createTools({ nested, resultBytes }) {
  const plain = (name, execute, input = z.looseObject({})) =>
    defineTool({
      name,
      description: `The tool ${name} of a large state.`,
      category: "custom",
      annotations: { readOnly: true },
      input,
      execute,
    });
  const names = ["lookup", "measure", "compare", "collect", "publish", "inspect", "convert", "resolve"];
  return [
    ...names.map((name) => plain(name, ({ query }) => ({ found: `${query} in ${name}`, score: 0.5 }))),
    plain("broken", () => {
      throw new Error("The disk is on fire.");
    }),
    plain("leaf", ({ at }) => ({ at })),
    plain("nest", async (_, ctx) => {
      const branch = Math.ceil(Math.sqrt(nested));
      for (let at = 0; at < branch; at++) await ctx.call("branch", { at });
      return { branches: branch };
    }),
    plain("branch", async ({ at }, ctx) => {
      const leaves = Math.floor(Math.sqrt(nested)) - 1;
      for (let leaf = 0; leaf < leaves; leaf++) await ctx.call("leaf", { at, leaf });
      return { at };
    }),
    plain("huge", () => ({ text: "All work and no play makes a large result.\n".repeat(resultBytes / 43) })),
  ];
}

async function writeRecords(tenon, clock, records) {
  const now = Date.now();
  const month = 30 * 86_400_000;
  const names = ["lookup", "measure", "compare", "collect", "publish", "inspect", "convert", "resolve"];
  const sessions = Array.from({ length: 200 }, (_, at) =>
    tenon.createSession({ id: `session-${at}`, agent: `agent-${at % 7}` }),
  );
  for (let at = 0; at < records; at += 64) {
    clock.set(now - month + (at / records) * month);
    const count = Math.min(64, records - at);
    await Promise.all(
      Array.from({ length: count }, (_, each) => {
        const place = at + each;
        const isBroken = place % 97 === 0;
        return sessions[place % sessions.length].call({
          name: isBroken ? "broken" : names[place % names.length],
          arguments: {
            query: `question ${place}`,
            limit: 10,
            words: ["alpha", "beta", `gamma-${place % 1000}`],
          },
          taskId: `task-${Math.floor(place / 50) % 2000}`,
        });
      }),
    );
  }
  for (const session of sessions) await session.close();
}
