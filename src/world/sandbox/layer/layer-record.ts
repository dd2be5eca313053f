import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const record = z.object({
  callId: z.string(),
  sessionId: z.string(),
  command: z.string(),
  startedAt: z.number(),
  workspace: z.string(),
  /** By the clock of the file system. */
  startedNs: z.string(),
  /** The process that uses it. */
  owner: z.string(),
  kept: z.object({ at: z.number(), reason: z.string(), bytes: z.number(), entries: z.number() }).optional(),
});

/** What is stored with a layer. */
export type LayerRecord = z.infer<typeof record>;

const fileName = "layer.json";

export function writeRecord(dir: string, value: LayerRecord): void {
  const temporary = join(dir, `${fileName}.${process.pid}.tmp`);
  writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
  renameSync(temporary, join(dir, fileName));
}

/** `undefined` if there is none, or if it is not complete. */
export function readRecord(dir: string): LayerRecord | undefined {
  try {
    return record.safeParse(JSON.parse(readFileSync(join(dir, fileName), "utf8"))).data;
  } catch {
    return undefined; // the process that made the folder was killed first, or the layer is gone
  }
}
