import { openRecorder, toRecord } from "./records.js";

/*
 * A process that records calls as fast as it can and says which of them it may answer.
 * node child.mjs DIR NAME COUNT [strict]
 */
const [dir = "", name = "", count = "0", mode = ""] = process.argv.slice(2);
const recorder = openRecorder(dir, { strict: mode === "strict", running: { isQuiet: mode !== "strict" } });

for (let at = 0; at < Number(count); at += 16) {
  const ids = Array.from({ length: 16 }, (_, each) => `${name}_${at + each}`);
  const records = ids.map((id) => toRecord(id));
  await Promise.all(records.map(async (record) => recorder.record(record)));
  const kept = records.filter(({ envelope }) => envelope.metadata["auditFault"] === undefined);
  process.stdout.write(kept.map(({ envelope }) => `${envelope.callId}\n`).join(""));
  if (kept.length < records.length) process.stdout.write("fault\n");
  // Let the pipe and the sync have their turn, as any server does.
  await new Promise((resolve) => setImmediate(resolve));
}
await recorder.close();
