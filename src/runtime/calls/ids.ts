import { randomBytes } from "node:crypto";

/**
 * Ids that are unique across processes and cheap: a random stem drawn once, then a
 * counter. They sort by age within one process.
 */
export function createIds(prefix: string): () => string {
  const stem = `${prefix}_${Date.now().toString(36)}${randomBytes(5).toString("hex")}`;
  let count = 0;
  return () => `${stem}_${(count++).toString(36)}`;
}
