import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { createNames } from "./names.js";
import { createParserPool, type ParserPool } from "./parser-pool.js";

/** Finds the number of its thread in every file, and is worn by a file that is called "large". */
const script = `
const { parentPort, threadId } = require("node:worker_threads");
let count = 0;
parentPort.on("message", ({ id, files }) => parentPort.postMessage({
  id,
  names: Buffer.from("thread" + threadId + "_" + count++),
  isRenumbered: files.includes("renumbered") && (count = 1) === 1,
  states: new Uint8Array(files.length).fill(3),
  counts: new Int32Array(files.length).fill(5),
  numbers: Int32Array.from(files.flatMap(() => [count - 1, 0, 1, 1, -1])),
  stats: new Float64Array(files.length * 2),
  contents: files.map(() => undefined),
  isWorn: files.includes("large"),
}));`;

const open: ParserPool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.stop()));
});

function openPool(size: number) {
  const names = createNames();
  const started: Worker[] = [];
  const start = (): Worker => {
    const worker = new Worker(script, { eval: true });
    started.push(worker);
    return worker;
  };
  const pool = createParserPool({ size, start, names });
  open.push(pool);
  const find = async (...files: string[]): Promise<string[]> =>
    (await pool.run("parse", files)).map(({ symbols }) => names.text(symbols?.[0] ?? -1));
  return { started, find };
}

describe("the threads that parse", () => {
  it("are replaced after large trees, and end when their last job is done", async () => {
    const { started, find } = openPool(1);
    const [[first], [queued]] = await Promise.all([find("large"), find("queued")]);
    const before = started[0]!;
    expect([first, queued]).toEqual([`thread${before.threadId}_0`, `thread${before.threadId}_1`]);
    const ended = once(before, "exit");
    const [after] = await find("a");
    expect(started).toHaveLength(2);
    expect(after).toBe(`thread${started[1]?.threadId}_0`);
    await Promise.all([ended, find("large")]);
    // The end of the first does not take its place from the second.
    expect(await find("b")).toEqual([`thread${started.at(-1)?.threadId}_0`]);
    expect(started).toHaveLength(3);
  });

  it("may begin to number their names again", async () => {
    const { started, find } = openPool(1);
    await find("a");
    const { threadId } = (await find("b")) && started[0]!;
    expect(await find("renumbered")).toEqual([`thread${threadId}_2`]);
    expect(await find("c")).toEqual([`thread${threadId}_1`]);
  });
});
