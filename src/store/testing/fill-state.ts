import type { State } from "../open-state.js";

/** Put something into every store, so that what is lost shows; returns what a reader finds. */
export async function fillState(state: State): Promise<void> {
  await state.rules.add({ decision: "allow", tool: "read_file" }, "rule-1");
  await state.sessions.save("cli", { env: { A: "1\u2028\u0000" }, data: { deep: [1, { two: "二" }] } });
  for (let n = 0; n < 1200; n += 1) await state.kv("tool:a").set(`key-${n}`, { n, text: "x".repeat(n % 50) });
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

/** All that `fillState` put in and that a backup must hold. */
export async function readState(state: State): Promise<unknown> {
  const kv = state.kv("tool:a");
  const keys = await kv.list();
  return {
    rules: await state.rules.list(),
    session: await state.sessions.load("cli"),
    keys,
    values: await Promise.all(keys.map((key) => kv.get(key))),
    changes: await state.journal.select({ callId: "c1" }),
    history: await state.journal.history({}),
  };
}
