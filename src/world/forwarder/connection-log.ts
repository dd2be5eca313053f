import type { NetworkUse } from "../../contract/ports/processes.js";

/** Where a connection went, or was to go. */
export type Destination = Pick<NetworkUse, "host" | "port" | "address">;

export type ByteCounts = Pick<NetworkUse, "bytesSent" | "bytesReceived">;

/** What a command reached, and what it was refused. */
export interface ConnectionLog {
  /** A connection that was not made. */
  refuse(place: Destination, verdict: "refused" | "failed", reason: string): void;
  /** A connection that was made, whose bytes are counted until the returned function is called. */
  open(place: Destination, counts: () => ByteCounts): () => void;
  list(): readonly NetworkUse[];
}

interface Entry extends Omit<NetworkUse, "connections" | keyof ByteCounts> {
  connections: number;
  done: ByteCounts;
  readonly live: Set<() => ByteCounts>;
}

/** A program that tries every name must not fill the result. */
const maxEntries = 200;

/** Create the log of one command; connections to the same place with the same outcome are added up. */
export function createConnectionLog(onFirst: (use: NetworkUse) => void = () => {}): ConnectionLog {
  const entries = new Map<string, Entry>();
  const entryFor = (use: Omit<NetworkUse, "connections" | keyof ByteCounts>): Entry | undefined => {
    const key = [use.host, use.port, use.address, use.verdict, use.reason].join("\0");
    const known = entries.get(key);
    if (known !== undefined) {
      known.connections += 1;
      return known;
    }
    if (entries.size >= maxEntries) return undefined;
    const entry: Entry = { ...use, connections: 1, done: noBytes, live: new Set() };
    entries.set(key, entry);
    onFirst(toUse(entry));
    return entry;
  };
  return {
    refuse: (place, verdict, reason) => void entryFor({ ...place, verdict, reason }),
    open(place, counts) {
      const entry = entryFor({ ...place, verdict: "allowed" });
      entry?.live.add(counts);
      return () => {
        if (entry?.live.delete(counts) === true) entry.done = addCounts(entry.done, counts());
      };
    },
    list: () => [...entries.values()].map(toUse),
  };
}

const noBytes: ByteCounts = { bytesSent: 0, bytesReceived: 0 };

function toUse({ done, live, ...use }: Entry): NetworkUse {
  const counts = [...live].reduce((sum, count) => addCounts(sum, count()), done);
  return { ...use, ...counts };
}

function addCounts(one: ByteCounts, other: ByteCounts): ByteCounts {
  return {
    bytesSent: one.bytesSent + other.bytesSent,
    bytesReceived: one.bytesReceived + other.bytesReceived,
  };
}
