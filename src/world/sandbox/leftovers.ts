import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ActiveSandbox } from "./active-sandbox.js";
import type { FinishedCommand, SandboxCommand } from "./sandbox-types.js";

/** The file for command lines of remaining processes; not used with a pseudo-terminal or for a program of the configuration. */
export function leftoversFileFor({ view }: ActiveSandbox, { pty, home }: SandboxCommand): string | undefined {
  if (pty === true || home !== undefined) return undefined;
  return join(view.scratch.dir, `left-${randomBytes(9).toString("hex")}`);
}

const maxLeftovers = 20;
/** A tick of USER_HZ, which is 100 for programs on Linux. */
const msPerTick = 10;

/** What remained, and what the command used. */
export async function readLeftovers(file: string): Promise<Pick<FinishedCommand, "leftovers" | "used">> {
  const text = await readFile(file, "utf8").catch(() => ""); // the command was never started
  await rm(file, { force: true });
  const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
  const [, io, ticks] = /^used (\d+) (\d+)$/.exec(first) ?? [];
  const leftovers = (io === undefined ? [first, ...rest] : rest)
    .filter((line) => line !== "")
    .slice(0, maxLeftovers);
  if (io === undefined) return { leftovers };
  return { leftovers, used: { ioBytes: Number(io), cpuMs: Number(ticks) * msPerTick } };
}
