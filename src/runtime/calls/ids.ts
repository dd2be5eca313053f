import { randomBytes } from "node:crypto";
import { TransientMap } from "../../contract/transient-map.js";

/** Ids that are unique across processes: a random prefix and a counter. They sort by age within a process. */
export function createIds(prefix: string): () => string {
  const stem = `${prefix}_${Date.now().toString(36)}${randomBytes(5).toString("hex")}`;
  let count = 0;
  return () => `${stem}_${(count++).toString(36)}`;
}

/** The ids of calls: unique, whatever id the caller sends. */
export interface CallIds {
  readonly newId: () => string;
  /** An id for a later call, so that the caller knows it in advance. @param given One that another process made. */
  readonly reserve: (given?: string) => string;
  /** Whether this id is reserved; it can be used once. */
  readonly take: (id: string) => boolean;
}

const maxReserved = 10_000;

/** Create the ids of one process. */
export function createCallIds(): CallIds {
  const newId = createIds("call");
  const reserved = new TransientMap<string, true>();
  return {
    newId,
    reserve(given) {
      const id = given ?? newId();
      reserved.set(id, true);
      if (reserved.size > maxReserved) reserved.delete(reserved.keys().next().value as string);
      return id;
    },
    take: (id) => reserved.delete(id),
  };
}
