import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPipe, type PipeReader } from "./pipe-reader.js";

let folder: string;
let fifo: string;
let writer: number;
let got: string;
let reader: PipeReader;
/** What a taker that is behind returns. */
let busy: Promise<void> | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-pipe-"));
  fifo = join(folder, "fifo");
  execFileSync("mkfifo", [fifo]);
  const fd = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  writer = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  got = "";
  busy = undefined;
  reader = readPipe(fd, (bytes) => {
    got += Buffer.from(bytes).toString("latin1");
    return busy;
  });
});
afterEach(() => {
  closeSync(writer);
  rmSync(folder, { recursive: true });
});

describe.runIf(process.platform !== "win32")("a reader that is released", () => {
  it("passes on what is in its pipe", async () => {
    writeSync(writer, "early ");
    await nextTurn();
    await nextTurn();
    writeSync(writer, "late");
    reader.release();
    expect(got).toBe("early late");
    await reader.ended;
    expect(got).toBe("early late");
  });

  it("passes on more than its buffer holds, in order", () => {
    const text = Array.from({ length: 6000 }, (_, at) => String(at).padStart(10)).join("");
    writeSync(writer, text);
    reader.release();
    expect(got).toBe(text);
  });

  it("passes on what came while nobody took more", async () => {
    busy = new Promise(() => {});
    const full = "x".repeat(60_000);
    writeSync(writer, full);
    await expect.poll(() => got.length).toBeGreaterThan(0);
    writeSync(writer, "the rest");
    reader.release();
    expect(got).toBe(`${full}the rest`);
  });

  it("reads nothing from a file that got the number of its descriptor", async () => {
    closeSync(writer);
    await reader.ended;
    const numbers = Array.from({ length: 50 }, () => openSync(import.meta.filename, "r"));
    reader.release();
    expect(got).toBe("");
    numbers.forEach((fd) => closeSync(fd));
    writer = openSync(import.meta.filename, "r");
  });
});
