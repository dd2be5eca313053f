import type { Flaw } from "./verify.js";

type Promise3 = readonly [segment: number, count: number, hash: string];

/** A line of the log that is not a call. */
export interface Marker {
  readonly kind: string;
  readonly time?: number;
  /** The lengths of other segments at that time. */
  readonly heads?: readonly Promise3[];
  /** Where segments of dead processes ended, and how many bytes of half a line stood there. */
  readonly closed?: readonly (readonly [number, number, string, number])[];
  /** Records that a purge changed, with the hash that their body has since. */
  readonly changed?: readonly (readonly [seq: number, hash: string])[];
  /** The first segment that is still kept. */
  readonly floor?: number;
}

/** What the markers of a log say about the rest of it. */
export interface MarkerBook {
  take(seq: number, line: string): void;
  /** A record whose body no longer matches its hash, because it was purged. */
  purged(seq: number, actual: string): void;
  purgeFlaws(): Flaw[];
  promised(): readonly Promise3[];
  isKnownTorn(segment: number): boolean;
  floor(): number;
}

export function createMarkerBook(): MarkerBook {
  const promised: Promise3[] = [];
  const torn = new Set<number>();
  const purged = new Map<number, string>();
  const allowed = new Set<string>();
  let floor = 0;
  return {
    take(_seq, line) {
      const marker = JSON.parse(line) as Marker;
      for (const head of marker.heads ?? []) promised.push(head);
      for (const [segment, count, hash, bytes] of marker.closed ?? []) {
        promised.push([segment, count, hash]);
        if (bytes > 0) torn.add(segment);
      }
      for (const [seq, hash] of marker.changed ?? []) allowed.add(`${seq}:${hash}`);
      floor = Math.max(floor, marker.floor ?? 0);
    },
    purged: (seq, actual) => void purged.set(seq, actual),
    purgeFlaws: () =>
      [...purged].flatMap(([seq, actual]) =>
        allowed.has(`${seq}:${actual}`)
          ? []
          : [{ seq, problem: "it says that it was purged, but no purge is on record that left it so" }],
      ),
    promised: () => promised.filter(([segment]) => segment >= floor),
    isKnownTorn: (segment) => torn.has(segment),
    floor: () => floor,
  };
}
