import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { underLoad } from "../../../../test/setup/under-load.js";
import { createNames } from "./names.js";
import { createParserPool, type ParserPool } from "./parser-pool.js";
import { createParserStarter } from "./parser-process.js";
import { fileStates } from "./parser.js";

let workspace = "";
let pool: ParserPool;
const names = createNames();

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "tenon-parser-process-"));
  for (const at of [0, 1, 2, 3]) writeFileSync(join(workspace, `f${at}.ts`), `function found${at}() {}\n`);
  const start = createParserStarter({ role: "parser", rules: { workspace }, maxFileSize: 1e6 });
  pool = createParserPool({ size: 2, start, names });
});

afterEach(async () => {
  await pool.stop();
  rmSync(workspace, { recursive: true });
});

async function find(file: string, thread: number): Promise<string> {
  const [found] = await pool.run("parse", [file], thread);
  return found?.state === fileStates.parsed ? names.text(found.symbols?.[0] ?? -1) : `state ${found?.state}`;
}

/** The processes that this one has started to parse. */
function parserProcesses(): number[] {
  return readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "latin1")
      .split(" ")
      .filter((pid) => pid !== "" && commandOf(pid).includes("parser-process"))
      .map(Number),
  );
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

describe.runIf(process.platform === "linux")("the process that parses", () => {
  it("has all threads, and ends with the last of them", async () => {
    expect(await Promise.all([find("f0.ts", 0), find("f1.ts", 1)])).toEqual(["found0", "found1"]);
    expect(parserProcesses()).toHaveLength(1);
    await pool.rest();
    await expect.poll(parserProcesses, { timeout: underLoad(5000) }).toEqual([]);
    expect(await find("f2.ts", 1)).toBe("found2");
    expect(parserProcesses()).toHaveLength(1);
  });

  it("ends with all its threads at once, whatever they are doing", async () => {
    await Promise.all([find("f0.ts", 0), find("f1.ts", 1)]);
    process.kill(parserProcesses()[0]!, "SIGSTOP");
    await pool.rest();
    await expect.poll(parserProcesses, { timeout: underLoad(5000) }).toEqual([]);
    expect(await find("f2.ts", 0)).toBe("found2");
    expect(parserProcesses()).toHaveLength(1);
  });

  it("may be killed at any time: threads of this process do the rest", async () => {
    await find("f0.ts", 0);
    const [pid = 0] = parserProcesses();
    const running = Promise.all([find("f1.ts", 0), find("f2.ts", 1), find("f3.ts", 0)]);
    process.kill(pid, "SIGKILL");
    expect(await running).toEqual(["found1", "found2", "found3"]);
    expect(parserProcesses()).toEqual([]);
  });
});
