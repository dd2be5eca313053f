import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WorkStores } from "../contract/ports/store.js";
import { openState, type State } from "./open-state.js";
import { openBench } from "./testing/work-fixture.js";

let base: string;
let stateDir: string;
let workspace: string;
let isMounted = false;

/** A small disk of its own; without the right to mount one, a limit on the database stands for it. */
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-full-state-"));
  [stateDir, workspace] = [join(base, "disk", "state"), join(base, "ws")];
  for (const dir of [join(base, "disk"), workspace]) mkdirSync(dir);
  const args = ["-t", "tmpfs", "-o", "size=4m", "tmpfs", join(base, "disk")];
  isMounted = spawnSync("mount", args).status === 0;
});

afterEach(() => {
  if (isMounted) execFileSync("umount", [join(base, "disk")]);
  rmSync(base, { recursive: true, force: true });
});

/** Leave no byte on the disk. */
async function fillDisk({ sql }: State): Promise<void> {
  if (!isMounted) {
    const used = await sql.get<{ page_count: number }>("PRAGMA page_count");
    await sql.get(`PRAGMA max_page_count = ${(used?.page_count ?? 0) + 8}`);
    return;
  }
  const fd = openSync(join(base, "disk", "filler"), "w");
  try {
    for (let size = 1 << 16; size >= 1;) {
      try {
        writeSync(fd, Buffer.alloc(size));
      } catch {
        size >>= 1;
      }
    }
  } finally {
    closeSync(fd);
  }
}

const text = "a text that takes some room ".repeat(30);

/** Each way to write, and how its success is seen later. */
const writers: Record<
  string,
  {
    write: (stores: WorkStores, state: State, n: number) => Promise<string>;
    read: (stores: WorkStores, state: State) => Promise<readonly string[]>;
  }
> = {
  memory: {
    write: async ({ memories }) =>
      (await memories.save({ kind: "learning", title: "t", content: text, tags: [] })).id,
    async read({ memories }) {
      const count = await memories.count();
      const found = await Promise.all(Array.from({ length: count }, (_, n) => memories.get(`mem-${n + 1}`)));
      return found.flatMap((memory) => memory?.id ?? []);
    },
  },
  snippet: {
    write: async ({ snippets }, _, n) => {
      const { name } = await snippets.save({
        name: `s${n}`,
        code: text,
        description: "d",
        language: "ts",
        tags: [],
      });
      return name;
    },
    read: ({ snippets }) => snippets.names(),
  },
  requirement: {
    write: async ({ plan }, _, n) =>
      (await plan.createRequirement({ id: `R${n}`, title: "t", description: text, priority: "high" })).id,
    read: async ({ plan }) => (await plan.requirements()).map(({ id }) => id),
  },
  task: {
    write: async ({ plan }, _, n) =>
      (await plan.createTask({ id: `T${n}`, title: "t", description: text })).id,
    read: async ({ plan }) => (await plan.tasks()).map(({ id }) => id),
  },
  artifact: {
    write: async ({ artifacts }, _, n) => String((await artifacts.save("prd", `${n} ${text}`)).version),
    read: async ({ artifacts }) =>
      (await artifacts.versions({ name: "prd" })).map(({ version }) => String(version)),
  },
  iteration: {
    write: async ({ pipeline }, _, n) => (await pipeline.startIteration(`${n} ${text}`)).id,
    read: async ({ pipeline }) => (await pipeline.iterations()).map(({ id }) => id),
  },
  value: {
    write: async (_, state, n) => {
      await state.kv("x").set(`k${n}`, text);
      return `k${n}`;
    },
    read: (_, state) => state.kv("x").list(),
  },
  rule: {
    write: async (_, state) => (await state.rules.add({ text })).id,
    read: async (_, state) => (await state.rules.list()).map(({ id }) => id),
  },
  session: {
    write: async (_, state, n) => {
      await state.sessions.save(`s${n}`, { env: { text }, data: null });
      return `s${n}`;
    },
    read: async (_, state) => (await state.sessions.list()).map(({ name }) => name),
  },
};

describe("a full disk", () => {
  it.each(Object.entries(writers))(
    "loses no %s that was acknowledged, and gives no id out twice",
    async (_, { write, read }) => {
      const fixture = { open: () => openState({ stateDir, workspace }) };
      const before = await openBench(fixture as never);
      const acknowledged = [await write(before.stores, before.state, 0)];
      await fillDisk(before.state);
      let failure: unknown;
      for (let n = 1; failure === undefined && n < 5000; n += 1) {
        try {
          acknowledged.push(await write(before.stores, before.state, n));
        } catch (error) {
          failure = error;
        }
      }
      expect(failure).toMatchObject({ code: "FILE_IO", retryable: true });
      await before.state.close();
      rmSync(join(base, "disk", "filler"), { force: true });
      const after = await openBench(fixture as never);
      try {
        expect(after.state.warnings).toEqual([]);
        expect(await read(after.stores, after.state)).toEqual(expect.arrayContaining(acknowledged));
        acknowledged.push(await write(after.stores, after.state, 9_999));
        expect(new Set(acknowledged).size).toBe(acknowledged.length);
        expect(await after.state.integrity()).toEqual({ ok: true, problems: [] });
      } finally {
        await after.state.close();
      }
    },
  );
});
