import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { once } from "node:events";

/** A process that exchanges names at full speed. */
export interface Swapper {
  /** What it swaps with; the caller should say it aloud. */
  readonly how: string;
  /** End it and learn how often it swapped. */
  stop(): Promise<number>;
}

/** Start exchanging the two names of each pair, with the strongest means that the machine has. */
export async function startSwapper(pairs: readonly (readonly [string, string])[]): Promise<Swapper> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), "tenon-swapper-"));
  const { how, command, args } = chooseMeans(scratch);
  const child = spawn(command, [...args, ...pairs.flat()], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  while (!output.includes("ready")) await once(child.stdout, "data");
  return {
    how,
    stop: () => stop(child, { scratch, result: () => Number(output.trim().split("\n").at(-1)) }),
  };
}

interface Means {
  readonly how: string;
  readonly command: string;
  readonly args: readonly string[];
}

function chooseMeans(scratch: string): Means {
  const here = import.meta.dirname;
  const binary = path.join(scratch, "swapper");
  if (succeeds("gcc", ["-O2", "-o", binary, path.join(here, "swapper.c")])) {
    return { how: "renameat2(RENAME_EXCHANGE) from C", command: binary, args: [] };
  }
  if (succeeds("python3", ["-c", "import ctypes; ctypes.CDLL(None).renameat2"])) {
    return {
      how: "renameat2(RENAME_EXCHANGE) from Python (no C compiler here)",
      command: "python3",
      args: [path.join(here, "swapper.py")],
    };
  }
  return {
    how: "WEAK: three renames from Node (neither a C compiler nor Python here)",
    command: process.execPath,
    args: ["-e", NODE_SWAPPER],
  };
}

/** Three renames instead of one exchange: the names are missing for a moment. */
const NODE_SWAPPER = `
  const { renameSync } = require("node:fs");
  const names = process.argv.slice(1);
  let swaps = 0, over = false;
  process.stdin.on("end", () => { over = true; }).resume();
  console.log("ready");
  (function round() {
    if (over) { console.log(swaps); process.exit(0); }
    for (let turn = 0; turn < 500; turn++)
      for (let i = 0; i + 1 < names.length; i += 2)
        try {
          renameSync(names[i], names[i] + "~");
          renameSync(names[i + 1], names[i]);
          renameSync(names[i] + "~", names[i + 1]);
          swaps++;
        } catch {}
    setImmediate(round);
  })();`;

function succeeds(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function stop(
  child: ChildProcess,
  { scratch, result }: { scratch: string; result: () => number },
): Promise<number> {
  const closed = once(child, "close");
  child.stdin?.end("\n");
  await closed;
  rmSync(scratch, { recursive: true, force: true });
  return result();
}
