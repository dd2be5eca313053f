import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layerAdoptions } from "./layer-changes.js";
import { manyChanges } from "./many-changes.js";
import { openWorld, origin } from "./open-world.js";

/** What a child process is told to do in a world, and at which failpoint it dies. */
const [task = "", base = "", detail = ""] = process.argv.slice(2);

let points = 0;

function dieAt(wanted: number): (step: string) => void {
  return () => {
    points += 1;
    if (points === wanted) process.kill(process.pid, "SIGKILL");
  };
}

async function run(): Promise<void> {
  if (task === "change") {
    const world = await openWorld(base, { failpoint: dieAt(Number(detail)) });
    await world.journal.apply(manyChanges, origin("the-call"));
    return world.close();
  }
  if (task === "adopt") {
    const world = await openWorld(base, { failpoint: dieAt(Number(detail)) });
    await world.journal.adopt(async () => layerAdoptions(base), origin("the-call"));
    return world.close();
  }
  if (task === "undo") {
    const world = await openWorld(base, { failpoint: dieAt(Number(detail)) });
    await world.journal.undo({ callId: "the-call" }, origin("the-undo"));
    return world.close();
  }
  if (task === "recover") {
    const world = await openWorld(base, { failpoint: dieAt(Number(detail)) });
    await world.journal.recover();
    return world.close();
  }
  if (task === "append") return append(Number(detail));
  if (task === "hold") return hold();
  if (task === "kv") return writeKeys();
  throw new Error(`unknown task ${task}`);
}

/** Add lines to a file by read, think, write: only under a lock does no line get lost. */
async function append(count: number): Promise<void> {
  const world = await openWorld(base);
  const request = { key: join(world.root, "log"), mode: "exclusive" as const };
  for (let n = 0; n < count; n += 1) {
    const held = await world.state.locks.acquire([request]);
    const before = readFileSync(join(world.root, "log"), "utf8");
    const data = Buffer.from(`${before}${process.pid} ${n}\n`);
    await world.journal.apply([{ op: "write", path: "log", data }], origin());
    await held.release();
  }
  await world.close();
}

/** Take a lock, say so, and keep it until killed. */
async function hold(): Promise<void> {
  const world = await openWorld(base);
  await world.state.locks.acquire([{ key: detail, mode: "exclusive" }]);
  process.stdout.write("held\n");
  setInterval(() => {}, 1000);
}

/** Write keys as fast as it goes, and say each one that was acknowledged. */
async function writeKeys(): Promise<void> {
  const world = await openWorld(base);
  const kv = world.state.kv("test");
  for (let n = 0; ; n += 1) {
    await kv.set(`key-${n}`, { n });
    writeFileSync(1, `${n}\n`);
  }
}

await run();
