import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Arena } from "./arena.js";
import { collect, SECRET } from "./fixture.js";

/** One try of an operation: throws a tool error where it was refused, returns what it let out. */
export type Operation = (arena: Arena, index: number) => unknown;

const data = Buffer.from("written by the attacked operation");
const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** Every file operation of the guard, and every kind of change through the journal, under attack. */
export const operations: Readonly<Record<string, Operation>> = {
  async read({ guard, targets }, index) {
    return Buffer.from(await guard.read(pick([...targets, "file.txt", "file-link"], index))).toString();
  },
  readRange: async ({ guard, targets }, index) =>
    Buffer.from(
      await guard.read(pick([...targets, "file.txt"], index), { offset: 0, length: 64 }),
    ).toString(),
  async readBesideFifo({ guard }) {
    // A FIFO that were opened, even for a moment, would block for ever.
    return Buffer.from(await guard.read("plain")).toString();
  },
  openRead({ guard, targets }, index) {
    const file = guard.openRead(pick([...targets, "file.txt"], index));
    const buffer = Buffer.alloc(64);
    const length = file.readInto(buffer, 0);
    file.close();
    return buffer.toString("utf8", 0, length);
  },
  stat({ guard, targets, outside }, index) {
    const stat = guard.stat(pick([...targets, "file.txt", "entry", "deep/mid"], index));
    const secret = String(statSync(path.join(outside, "secret.txt")).ino);
    return stat?.identity.split(":")[1] === secret ? SECRET : stat;
  },
  check({ guard, targets, outside }, index) {
    const verdict = guard.check(pick(targets, index));
    return verdict.allowed && verdict.path.startsWith(outside) ? SECRET : verdict;
  },
  canonical({ guard, targets, outside }, index) {
    return guard.canonical(pick(targets, index)).startsWith(outside) ? SECRET : "inside";
  },
  async list({ guard, directories }, index) {
    const entries = await collect(guard.list(pick(directories, index)));
    return entries.some((entry) => entry.name === "only-outside") ? SECRET : entries;
  },
  async walk({ guard, directories }, index) {
    const batches = await collect(guard.walk(pick([...directories, "."], index), { stats: true }));
    const entries = batches.flatMap((batch) => batch.entries);
    const outside = entries.some(
      ({ name, type, size }) => name === "only-outside" || (type === "file" && size === SECRET.length),
    );
    return outside ? SECRET : entries;
  },
  replaceFile: ({ guard, targets }, index) => guard.replaceFile(pick([...targets, "file.txt"], index), data),
  createFile: ({ guard, directories }, index) =>
    guard.replaceFile(`${pick(directories, index)}/new-${index % 8}`, data, { create: index % 2 === 0 }),
  createBelow: ({ guard, directories }, index) =>
    guard.replaceFile(`${pick(directories, index)}/made-${index}/x/new`, data),
  async appendFile({ guard, targets }, index) {
    const target = pick([...targets, "file.txt"], index);
    if (index % 64 === 0) await guard.replaceFile(target, data);
    await guard.appendFile(target, data);
  },
  async copyFrom({ guard, targets, ws }, index) {
    await guard.copyFile(pick([...targets, "file.txt"], index), "copied", { overwrite: true });
    return readFileSync(path.join(ws, "copied"), "utf8");
  },
  async copyTo({ guard, targets, ws }, index) {
    if (index === 0) writeFileSync(path.join(ws, "source"), data);
    await guard.copyFile("source", pick([...targets, "file.txt"], index), { overwrite: true });
  },
  async makeDirectory({ guard, directories }, index) {
    await guard.makeDirectory(`${pick(directories, index)}/dir-${index % 50}/x`);
  },
  async renameAway({ guard, ws, inside }, index) {
    const moved = path.join(ws, "moved");
    rmSync(moved, { force: true });
    if (!existsSync(inside(index, "secret.txt"))) writeFileSync(inside(index, "secret.txt"), "public");
    await guard.rename(pick(["entry/secret.txt", "deep/mid/secret.txt"], index), "moved", {
      overwrite: index % 4 > 1,
    });
    return readFileSync(moved, "utf8");
  },
  async renameInto({ guard, ws, directories }, index) {
    writeFileSync(path.join(ws, "moving"), data);
    const overwrite = index % 3 > 0;
    const name = overwrite ? "secret.txt" : `moved-${index % 16}`;
    await guard.rename("moving", `${pick(directories, index)}/${name}`, { overwrite });
  },
  async renameDirectory({ guard, ws }, index) {
    const room = pick(["entry", "deep/mid"], index);
    if (existsSync(path.join(ws, "taken"))) await guard.rename("taken", `${room}/tree`);
    else await guard.rename(`${room}/tree`, "taken");
  },
  async unlink({ guard, inside }, index) {
    if (!existsSync(inside(index, "secret.txt"))) writeFileSync(inside(index, "secret.txt"), "public");
    await guard.unlink(pick(["entry/secret.txt", "deep/mid/secret.txt"], index));
  },
  async removeTree({ guard, restore }, index) {
    if (index % 4 === 0) restore();
    await guard.removeTree(pick(["entry/tree", "deep/mid/tree", "entry/sub", "deep/mid/sub"], index));
  },
  async removeTreeInside({ guard, ws, plantTree }) {
    if (existsSync(path.join(ws, "tree"))) await guard.removeTree("tree");
    else plantTree();
  },
  async deleteTree({ guard, restore }, index) {
    if (index % 4 === 0) restore();
    await guard.deleteTree(pick(["entry/tree", "deep/mid/tree", "entry/sub", "deep/mid/sub"], index));
  },
  async deleteTreeInside({ guard, ws, plantTree }) {
    if (existsSync(path.join(ws, "tree"))) await guard.deleteTree("tree");
    else plantTree();
  },
  async renameTreeInside({ guard, ws, plantTree }, index) {
    const moved = `tree-${index % 4}`;
    // Cleared by the guard too: a swap that is under way follows the tree, and would lead rmSync outside.
    if (existsSync(path.join(ws, moved))) return guard.removeTree(moved);
    plantTree();
    return guard.rename("tree", moved);
  },
  async watch({ guard, directories, outside }, index) {
    const controller = new AbortController();
    const changes = guard.watch(pick(directories, index), controller.signal);
    const seen = collect(changes);
    // Touch what is outside (to the mode it has): a watch that was led astray would tell.
    const file = path.join(outside, index % directories.length > 1 ? "sub/secret.txt" : "secret.txt");
    chmodSync(file, 0o644);
    await setImmediate();
    controller.abort();
    return (await seen).some((change) => change.kind === "changed" && change.path.endsWith("secret.txt"))
      ? SECRET
      : "nothing";
  },
};

/** What everyone writes first: resolve, compare, open. It must fail here, or the attack proves nothing. */
export const control: Operation = ({ ws, targets }, index) => {
  const asked = path.join(ws, pick([...targets, "file.txt"], index));
  const real = realpathSync(asked);
  if (!real.startsWith(`${ws}/`)) throw new Error("refused");
  return readFileSync(asked, "utf8");
};
