import { createInsert } from "../insert-rows.js";
import type { State } from "../open-state.js";

/** Put something into every store, so that what is lost shows; returns what a reader finds. */
export async function fillState(state: State): Promise<void> {
  await state.rules.add({ decision: "allow", tool: "read_file" }, "rule-1");
  await state.sessions.save("cli", { env: { A: "1\u2028\u0000" }, data: { deep: [1, { two: "二" }] } });
  await fillValues(state);
  const { hash, size } = await state.blobs.put(Buffer.alloc(2_000_000, "content"));
  const origin = { callId: "c1", sessionId: "s", tool: "write_file" };
  const change = {
    op: "write",
    step: { kind: "set", path: "/a", before: null, after: null, temp: "/t" },
    sizeBefore: size,
    sizeAfter: null,
    implied: false,
    blobs: [{ hash, size }],
  } as const;
  const id = await state.journal.begin({ kind: "change", origin, time: 1, changes: [change] });
  await state.journal.finish(id);
  await state.journal.begin({
    kind: "change",
    origin: { ...origin, callId: "half" },
    time: 2,
    changes: [change],
  });
}

/** More rows than are read or inserted at once, in one transaction: a server takes long for one each. */
async function fillValues(state: State): Promise<void> {
  await state.kv("tool:a").set("first", 0);
  const rows = Array.from({ length: 1100 }, (_, n) => {
    const value = JSON.stringify({ n, text: "x".repeat(n % 50) });
    return ["tool:a", `key-${n}`, value, value.length + `key-${n}`.length];
  });
  const bytes = rows.reduce((sum, row) => sum + Number(row[3]), 0);
  await state.sql.transaction(async (tx) => {
    await createInsert({ table: "kv", columns: ["namespace", "key", "value", "bytes"] })(tx, rows);
    await tx.run("UPDATE kv_usage SET keys = keys + ?, bytes = bytes + ? WHERE namespace = 'tool:a'", [
      rows.length,
      bytes,
    ]);
  });
}

/** All that `fillState` put in and that a backup must hold. */
export async function readState(state: State): Promise<unknown> {
  const kv = state.kv("tool:a");
  return {
    rules: await state.rules.list(),
    session: await state.sessions.load("cli"),
    keys: await kv.list(),
    some: [await kv.get("first"), await kv.get("key-1099")],
    values: await state.sql.all("SELECT * FROM kv ORDER BY namespace, key"),
    usage: await state.sql.all("SELECT * FROM kv_usage ORDER BY namespace"),
    changes: await state.journal.select({ callId: "c1" }),
    history: await state.journal.history({}),
  };
}
