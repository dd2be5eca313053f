import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../contract/errno.js";
import { removeIfThere } from "../../contract/remove-if-there.js";
import { readWhole } from "../journal/text-pack.js";
import type { ActiveSandbox } from "./active-sandbox.js";
import type { FinishedCommand, SandboxCommand } from "./sandbox-types.js";

/** The file for command lines of remaining processes; not used with a pseudo-terminal or for a program of the configuration. */
export function leftoversFileFor({ view }: ActiveSandbox, { pty, home }: SandboxCommand): string | undefined {
  if (pty === true || home !== undefined) return undefined;
  return join(view.scratch.dir, `left-${randomBytes(9).toString("hex")}`);
}

const maxLeftovers = 20;
/** More than so many processes take. */
const maxBytes = 1 << 16;
/** A tick of USER_HZ, which is 100 for programs on Linux. */
const msPerTick = 10;

/** What remained, and what the command used. The file is small: it is read sooner than another thread is told of it. */
export function readLeftovers(file: string): Pick<FinishedCommand, "leftovers" | "used"> {
  const text = attempt(() => firstText(file)) ?? ""; // the command was never started
  removeIfThere(file);
  const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
  const [, io, ticks] = /^used (\d+) (\d+)$/.exec(first) ?? [];
  const leftovers = (io === undefined ? [first, ...rest] : rest)
    .filter((line) => line !== "")
    .slice(0, maxLeftovers);
  if (io === undefined) return { leftovers };
  return { leftovers, used: { ioBytes: Number(io), cpuMs: Number(ticks) * msPerTick } };
}

function firstText(file: string): string {
  const fd = openSync(file, "r");
  try {
    return readWhole(fd, maxBytes).toString();
  } finally {
    closeSync(fd);
  }
}
