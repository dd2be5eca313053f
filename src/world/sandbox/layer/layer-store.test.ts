import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRecord, writeRecord } from "./layer-record.js";
import { createLayerStore, type LayerLimits, type OwnLayerStore } from "./layer-store.js";
import type { CommandLayer } from "./layer-types.js";

let root: string;
let dir: string;
let now = 1_000_000;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-layers-"));
  dir = join(root, "state/layers");
  mkdirSync(join(root, "workspace"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function openStore(limits: Partial<LayerLimits> = {}): OwnLayerStore {
  return createLayerStore({
    dir,
    workspace: join(root, "workspace"),
    limits: {
      enabled: true,
      maxBytes: 1e9,
      maxEntries: 1e6,
      maxKept: 3,
      maxKeptBytes: 1e8,
      maxAgeMs: 3_600_000,
      ...limits,
    },
    now: () => now,
    scan: async (layerDir) => writeFileSync(join(layerDir, "opaque"), "\0"),
  });
}

function begin(store: OwnLayerStore, callId: string, bytes = 10): CommandLayer & { readonly dir: string } {
  const layer = store.begin({ callId, sessionId: "s", command: "make", startedAt: now });
  writeFileSync(join(layer.upper, "file"), "x".repeat(bytes));
  return layer;
}

const calls = async (store: OwnLayerStore): Promise<string[]> =>
  (await store.list()).map(({ callId }) => callId);

describe("the store of layers", () => {
  it("lists the kept ones of a call with their size and age, and opens them again", async () => {
    const store = openStore();
    begin(store, "running");
    const layer = begin(store, "c1", 5000);
    await layer.keep("a rule held changes back");
    expect(await store.list({ callId: "c1" })).toEqual([
      {
        id: layer.id,
        callId: "c1",
        sessionId: "s",
        command: "make",
        startedAt: now,
        reason: "a rule held changes back",
        keptAt: now,
        expiresAt: now + 3_600_000,
        size: { bytes: 8192, entries: 1 },
      },
    ]);
    const again = await openStore().open(layer.id);
    const changes = [];
    for await (const { kind, path } of again.changes()) changes.push(`${kind} ${path}`);
    expect(changes).toEqual(["created file"]);
  });

  it("drops those that are too old, too many or too large together, oldest first", async () => {
    const store = openStore({ maxKeptBytes: 100_000 });
    for (const callId of ["c1", "c2", "c3", "c4"]) {
      now += 1000;
      await begin(store, callId, 40_000).keep("waits");
    }
    expect(await calls(store)).toEqual(["c3", "c4"]);
    now += 1000;
    await begin(store, "large", 1_000_000).keep("waits");
    expect(await calls(store)).toEqual(["large"]);
    now += 3_600_001;
    expect(await calls(store)).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("prepares the folder of the next one, which has the rights of the workspace when it begins", async () => {
    const store = openStore();
    store.prepare();
    store.prepare();
    const [spare = ""] = readdirSync(dir);
    expect(await calls(store)).toEqual([]);
    const { ino } = statSync(join(dir, spare));
    chmodSync(join(root, "workspace"), 0o750);
    const before = statSync(join(dir, spare, "upper"), { bigint: true }).ctimeNs;
    const layer = begin(store, "c1");
    expect(readdirSync(dir)).toEqual([layer.id]);
    expect(statSync(layer.dir).ino).toBe(ino);
    expect(statSync(layer.upper).mode & 0o777).toBe(0o750);
    expect(layer.startedNs >= before).toBe(true);
    await layer.discard();
    store.prepare();
    await store.close();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("makes another folder where the prepared one is gone, as after the start of another process", async () => {
    const store = openStore();
    store.prepare();
    await openStore().recover();
    expect(readdirSync(dir)).toEqual([]);
    const layer = begin(store, "c1");
    expect(readdirSync(dir)).toEqual([layer.id]);
    expect(readdirSync(layer.dir).toSorted()).toEqual(["layer.json", "lower", "upper", "work"]);
    rmSync(dir, { recursive: true });
    store.prepare();
    expect(readdirSync(dir)).toHaveLength(1);
  });

  it("forgets a discarded one, however often", async () => {
    const store = openStore();
    const layer = begin(store, "c1");
    await layer.keep("waits");
    await Promise.all([layer.discard(), layer.discard()]);
    await expect(store.open(layer.id)).rejects.toThrow(/No stored changes found/);
    await expect(store.open("../../state")).rejects.toThrow(/No stored changes found/);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("keeps the layers of killed processes, and removes what they left half done", async () => {
    const store = openStore();
    const [killed, empty, own] = [begin(store, "killed"), begin(store, "empty"), begin(store, "own")];
    rmSync(join(empty.upper, "file"));
    for (const layer of [killed, empty]) {
      const record = readRecord(layer.dir);
      const owner = record?.owner.replace(/ \d+ \d+$/, " 4194304 1");
      writeRecord(layer.dir, { ...record!, owner: owner ?? "" });
    }
    mkdirSync(join(dir, "removed-layer_1"));
    mkdirSync(join(dir, `layer_${"0".repeat(24)}`)); // may just be created by another process
    await openStore().recover();
    expect((await store.list()).map(({ callId, reason }) => ({ callId, reason }))).toEqual([
      { callId: "killed", reason: "Tenon was stopped while the command ran" },
    ]);
    expect(readdirSync(dir).toSorted()).toEqual([killed.id, own.id, `layer_${"0".repeat(24)}`].toSorted());
  });

  it("removes folders that cannot be read and paths that are too long", async () => {
    const layer = begin(openStore(), "c1");
    const script = `mkdir -p dark/in; chmod 000 dark; i=0; while [ $i -lt 300 ]; do mkdir ${"d".repeat(50)}; cd ${"d".repeat(50)}; i=$((i+1)); done`;
    execFileSync("/bin/bash", ["-c", script], { cwd: layer.upper });
    await layer.discard();
    expect(existsSync(layer.dir)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });
});
