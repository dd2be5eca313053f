/** A host that takes a place: a session of the 2025 revisions, or a client of 2026-07-28. */
export interface ConnectedHost {
  /** Whose token it came with. */
  readonly principal: string;
  /** Where it came from. */
  readonly address: string;
  /** Something runs for it or it listens. */
  readonly busy: boolean;
  /** It has asked for something since it was greeted. */
  readonly used: boolean;
  readonly lastSeen: number;
  /** @param isOver Nobody can come back for it. */
  end(isOver?: boolean): void;
}

export interface HostLimits {
  /** Hosts at the same time. @default 512 */
  readonly maxSessions?: number | undefined;
  /** Hosts with one token. @default 256 */
  readonly maxPerPrincipal?: number | undefined;
  /** Hosts from one address. @default 256 */
  readonly maxPerAddress?: number | undefined;
}

/**
 * A host that was used just now is not let go for a newcomer. Longer would let programs that end without closing their
 * sessions lock everybody out; one that still lives and was let go greets again, or is busy with a stream of its own.
 * A newcomer that is refused is told to try again after this time.
 */
const keepUsedMs = 5000;

/** The places of hosts, with those of newcomers that are let in and whose sessions are not open yet. */
export class HostRoom {
  readonly #hosts: () => readonly ConnectedHost[];
  readonly #limits: HostLimits;
  readonly #reserved = new Set<ConnectedHost>();

  constructor(hosts: () => readonly ConnectedHost[], limits: HostLimits) {
    [this.#hosts, this.#limits] = [hosts, limits];
  }

  /** Make room for a newcomer that takes its place at once. */
  makeFor({ id, address = "" }: Newcomer): boolean {
    return makeRoom([...this.#hosts(), ...this.#reserved], { principal: id, address }, this.#limits);
  }

  /** A place that nobody else gets until it is released; `undefined` where there is no room. */
  reserve(newcomer: Newcomer): ConnectedHost | undefined {
    if (!this.makeFor(newcomer)) return undefined;
    const { id: principal, address = "" } = newcomer;
    const place = { principal, address, busy: true, used: false, lastSeen: Date.now(), end: () => {} };
    this.#reserved.add(place);
    return place;
  }

  release(place: ConnectedHost): void {
    this.#reserved.delete(place);
  }
}

interface Newcomer {
  /** Whose token it came with. */
  readonly id: string;
  readonly address?: string | undefined;
}

/**
 * Make room for a newcomer: within its token's and its address's share first, then among all. Those that were greeted
 * and never asked for anything give way first, the oldest first; then those that were used but have been silent for
 * some seconds. `false` where nobody can go.
 */
export function makeRoom(
  places: readonly ConnectedHost[],
  newcomer: { readonly principal: string; readonly address: string },
  limits: HostLimits,
): boolean {
  const { maxSessions = 512, maxPerPrincipal = 256, maxPerAddress = 256 } = limits;
  const gone = new Set<ConnectedHost>();
  const shares: readonly (readonly [readonly ConnectedHost[], number])[] = [
    [places.filter(({ principal }) => principal === newcomer.principal), maxPerPrincipal],
    [places.filter(({ address }) => address === newcomer.address), maxPerAddress],
    [places, maxSessions],
  ];
  for (const [share, maxHosts] of shares) {
    const there = share.filter((place) => !gone.has(place));
    if (there.length < maxHosts) continue;
    const leaving = whoLeaves(there);
    if (leaving === undefined) return false;
    gone.add(leaving);
    leaving.end();
  }
  return true;
}

function whoLeaves(places: readonly ConnectedHost[]): ConnectedHost | undefined {
  const oldest = (some: readonly ConnectedHost[]): ConnectedHost | undefined =>
    some.reduce<ConnectedHost | undefined>(
      (found, place) => (found === undefined || place.lastSeen < found.lastSeen ? place : found),
      undefined,
    );
  const quiet = places.filter(({ busy }) => !busy);
  const abandoned = oldest(quiet.filter(({ used }) => !used));
  if (abandoned !== undefined) return abandoned;
  const idle = oldest(quiet);
  return idle !== undefined && Date.now() - idle.lastSeen >= keepUsedMs ? idle : undefined;
}
