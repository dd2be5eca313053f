import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plainOutput } from "./plain-output.js";

let dir: string;
let fd: number;
let opened: number;
let taken: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-output-"));
  [opened, taken] = [0, []];
});
afterEach(() => {
  closeSync(fd);
  rmSync(dir, { recursive: true, force: true });
});

/** An output to a file, and a stream that notes what it gets. */
function outputTo(path: string, flags: string): NodeJS.WriteStream {
  fd = openSync(path, flags);
  return plainOutput(fd, () => {
    opened++;
    const write = (text: string | Buffer): boolean => taken.push(String(text)) > 0;
    return { write, isTTY: true, on: () => "listening" } as unknown as NodeJS.WriteStream;
  });
}

describe("the output of a command", () => {
  it("goes to a file without opening a stream", () => {
    const output = outputTo(join(dir, "a"), "w");
    expect(output.write("one €\n") && output.write("two\n")).toBe(true);
    expect([output.isTTY, output.columns, opened]).toEqual([undefined, undefined, 0]);
    expect(readFileSync(join(dir, "a"), "utf8")).toBe("one €\ntwo\n");
  });

  it("goes to a stream from the first long text on", () => {
    const output = outputTo(join(dir, "a"), "w");
    const long = "x".repeat(100_000);
    for (const text of ["short", long, "end"]) output.write(text);
    expect(readFileSync(join(dir, "a"), "utf8")).toBe("short");
    expect([taken, opened]).toEqual([[long, "end"], 1]);
  });

  it("goes to a stream that somebody listens to", () => {
    const output = outputTo(join(dir, "a"), "w");
    expect(output.on("drain", () => {})).toBe("listening");
    output.write("a");
    expect(taken).toEqual(["a"]);
  });

  it("leaves to a stream what cannot be written", () => {
    writeFileSync(join(dir, "a"), "");
    const output = outputTo(join(dir, "a"), "r");
    expect(output.write("lost?")).toBe(true);
    expect(taken).toEqual(["lost?"]);
  });

  it("is the stream itself where it is a terminal or another device", () => {
    const output = outputTo("/dev/null", "w");
    expect([output.isTTY, opened]).toEqual([true, 1]);
  });
});
