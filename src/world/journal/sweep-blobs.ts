import type { BlobStore } from "../../contract/ports/blobs.js";
import type { JournalStore } from "../../contract/ports/journal.js";

const batchSize = 500;

/** Remove contents that no entry needs; returns how many. Only safe while no change is under way. */
export async function sweepBlobs(store: JournalStore, blobs: BlobStore): Promise<number> {
  let removed = 0;
  let batch: string[] = [];
  const sweep = async (): Promise<void> => {
    const unneeded = await store.unreferenced(batch);
    for (const hash of unneeded) blobs.remove(hash);
    removed += unneeded.length;
    batch = [];
  };
  for await (const hash of blobs.list()) {
    batch.push(hash);
    if (batch.length === batchSize) await sweep();
  }
  await sweep();
  return removed;
}
