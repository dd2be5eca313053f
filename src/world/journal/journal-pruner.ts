import type { BlobStore } from "../../contract/ports/blobs.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { JournalLimits, JournalStore } from "../../contract/ports/journal.js";
import type { KeptFiles } from "./kept-files.js";

export interface PrunerOptions {
  readonly store: JournalStore;
  readonly blobs: BlobStore;
  readonly kept: KeptFiles;
  readonly clock: Clock;
  readonly limits: JournalLimits;
}

/** Keeps the journal within its limits. Only to be used while no change is under way. */
export interface JournalPruner {
  /** Now and then forget what is past the limits. */
  afterChange(): Promise<void>;
  prune(): Promise<{ readonly entries: number; readonly blobs: number }>;
  /** Remove contents that no entry needs; returns how many. */
  sweep(): Promise<number>;
}

const changesBetween = 64;
const batchSize = 500;

export function createPruner({ store, blobs, kept, clock, limits }: PrunerOptions): JournalPruner {
  let changes = 0;
  const sweep = async (): Promise<number> => (await sweepBlobs(store, blobs)) + (await kept.sweep(store));
  const forget = (): Promise<number> => store.prune(limits, clock.now());
  return {
    sweep,
    async afterChange() {
      changes += 1;
      if (changes % changesBetween === 0 && (await forget()) > 0) await sweep();
    },
    prune: async () => ({ entries: await forget(), blobs: await sweep() }),
  };
}

async function sweepBlobs(store: JournalStore, blobs: BlobStore): Promise<number> {
  let removed = 0;
  let batch: string[] = [];
  const removeBatch = async (): Promise<void> => {
    const unneeded = await store.unreferenced(batch);
    for (const hash of unneeded) blobs.remove(hash);
    removed += unneeded.length;
    batch = [];
  };
  for await (const hash of blobs.list()) {
    batch.push(hash);
    if (batch.length === batchSize) await removeBatch();
  }
  await removeBatch();
  return removed;
}
