import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { createNames } from "./names.js";
import { createParserPool, type ParserPool } from "./parser-pool.js";

/** Finds the number of its thread in every file, and is worn by a file that is called "large". */
const script = `
const { parentPort, threadId } = require("node:worker_threads");
let count = 0;
parentPort.on("message", ({ id, files }) => files.includes("fatal") ? process.exit(1) : parentPort.postMessage({
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
/** The numbers of the threads, and how many others ran when each of them started. */
const ids: number[] = [];
const runningAtStart: number[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.stop()));
});

function openPool(size: number, prepare: (worker: Worker) => Worker = (worker) => worker) {
  const names = createNames();
  const started: Worker[] = [];
  ids.length = runningAtStart.length = 0;
  const start = (): Worker => {
    const worker = prepare(new Worker(script, { eval: true }));
    // A thread that has ended has no number any more.
    runningAtStart.push(started.filter(({ threadId }) => threadId !== -1).length);
    ids.push(worker.threadId);
    started.push(worker);
    return worker;
  };
  const pool = createParserPool({ size, start, names });
  open.push(pool);
  const find = async (...files: string[]): Promise<string[]> =>
    (await pool.run("parse", files, 0)).map(({ symbols }) =>
      symbols === undefined ? "" : names.text(symbols[0]!),
    );
  return { pool, started, find };
}

describe("the threads that parse", () => {
  it("are replaced after large trees, and another one takes the jobs that wait", async () => {
    const { started, find } = openPool(1);
    const [[first], [queued]] = await Promise.all([find("large"), find("queued")]);
    expect(started).toHaveLength(2);
    // The one that is replaced has ended before the other one starts, so that both are never in memory.
    expect(runningAtStart).toEqual([0, 0]);
    expect([first, queued]).toEqual([`thread${ids[0]}_0`, `thread${ids[1]}_0`]);
    await find("large");
    // The end of the first does not take its place from the second.
    expect(await find("b")).toEqual([`thread${ids[2]}_0`]);
    expect(started).toHaveLength(3);
  });

  it("are replaced although one of them takes long to end", async () => {
    const never = new Promise<number>(() => undefined);
    const { started, find } = openPool(1, (worker) => Object.assign(worker, { terminate: () => never }));
    const [[first], [queued]] = await Promise.all([find("large"), find("queued")]);
    expect([first, queued]).toEqual([`thread${ids[0]}_0`, `thread${ids[1]}_0`]);
    await Promise.all(started.map((worker) => Worker.prototype.terminate.call(worker)));
    open.length = 0;
  });

  it("give up on files that end two of them, and on no others", async () => {
    const { started, find } = openPool(1);
    const [fatal, queued] = await Promise.all([find("fatal"), find("queued")]);
    expect(fatal).toEqual([""]);
    expect(queued).toEqual([`thread${ids.at(-1)}_0`]);
    expect(started.length).toBeGreaterThan(1);
  });

  it("end when they have no job, and lose none", async () => {
    const { pool, started, find } = openPool(2);
    await Promise.all([find("a"), pool.run("parse", ["b"], 1)]);
    const idle = once(started[1]!, "exit");
    const running = find("c");
    await pool.rest();
    await idle;
    expect(await running).toEqual([`thread${ids[0]}_1`]);
    await pool.run("parse", ["d"], 1);
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
