// A process of its own for tests of the state: node child.mjs TASK OPTIONS [DETAIL]
import { openState, type StateOptions } from "../open-state.js";

const [task = "", options = "{}", detail = ""] = process.argv.slice(2);
const state = await openState(JSON.parse(options) as StateOptions);

const tasks: Record<string, () => Promise<void>> = {
  /** Write values one after another and tell of each that was acknowledged, until somebody ends it. */
  async write() {
    for (let n = 0; n < 1000; n += 1) {
      await state.kv("x").set(`${detail}${n}`, { n, text: "v".repeat(n % 300) });
      process.stdout.write(`${n}\n`);
    }
  },
  /** Count up by one, often, each time by reading and writing. */
  async count() {
    for (let n = 0; n < Number(detail); n += 1) {
      await state.sql.transaction(async (tx) => {
        const row = await tx.get<{ value: string }>(
          "SELECT value FROM kv WHERE namespace = 'n' AND key = 'n'",
        );
        const value = String(Number(row?.value ?? 0) + 1);
        await tx.run(
          `INSERT INTO kv (namespace, key, value, bytes) VALUES ('n', 'n', ?, 1)
           ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value`,
          [value],
        );
      });
    }
  },
  /** Save one name again and again, each time whole. */
  async save() {
    for (let n = 0; n < 80; n += 1) {
      const word = `${detail}-${n}`;
      await state.sessions.save("shared", { env: { word }, data: Array.from({ length: 50 }, () => word) });
    }
  },
  /** Stay in the middle of a write until the process is ended. */
  async hold() {
    await state.sql.transaction(async (tx) => {
      await tx.run("INSERT INTO meta (key, value) VALUES ('held', 'half')");
      process.stdout.write("held\n");
      await new Promise((later) => setTimeout(later, 60_000));
    });
  },
  /** Hold a lock until the process is ended. */
  async lock() {
    await state.locks.acquire([{ key: detail, mode: "exclusive" }]);
    process.stdout.write("held\n");
    await new Promise((never) => setTimeout(never, 60_000));
  },
  /** Hold the journal's lock; after having been stopped, write with its fence and tell what came of it. */
  async fence() {
    const { fence } = await state.locks.acquire([{ key: detail, mode: "exclusive" }]);
    let before = performance.now();
    process.stdout.write("held\n");
    for (let stopped = false; !stopped;) {
      await new Promise((later) => setTimeout(later, 20));
      stopped = performance.now() - before > 500;
      before = performance.now();
    }
    const origin = { callId: "c", sessionId: "s", tool: "t" };
    const entry = { kind: "change", origin, time: 1, changes: [] } as const;
    const told = await state.journal
      .fenced(fence)
      .begin(entry)
      .catch((error: unknown) => (error as Error).message);
    process.stdout.write(String(told));
  },
  /** Write until it fails, then tell the code and whether what was acknowledged is there. */
  async fill() {
    let written = 0;
    try {
      for (; written < 100_000; written += 1) await state.kv("x").set(`k${written}`, "v".repeat(20_000));
    } catch (error) {
      const found = (await state.kv("x").list()).length;
      process.stdout.write(JSON.stringify({ code: (error as { code?: string }).code, written, found }));
    }
  },
};

await tasks[task]?.();
await state.close().catch(() => {});
process.exit(0);
