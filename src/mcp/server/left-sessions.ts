import type { McpServer } from "./create-mcp-server.js";

/** The session of a host that is gone: its jobs go on until it comes back or the time is over. */
export interface LeftSession {
  /** The id that the host knew it by. */
  readonly id: string;
  readonly principal: string;
  /** Name and version of the program, as it says itself. */
  readonly client: string;
  readonly mcp: McpServer;
  readonly leftAt: number;
}

/** Who wants to take up a session again: by its id, or as the same program. */
export interface ReturningHost {
  readonly principal: string;
  readonly client: string;
  readonly id?: string | undefined;
}

interface OpenSession extends ReturningHost {
  readonly busy: boolean;
  /** Since when its host, which used to listen, does not. */
  readonly leftAt: number | undefined;
  close(): Promise<void>;
}

/** How long a host may stay away. */
export const defaultKeepMs = 10 * 60_000;
/** A listening host that lost its connection comes back sooner than that. */
const lostAfterMs = 2500;
/** More are kept for nobody; the oldest goes first. */
const maxLeft = 64;

/** The sessions of hosts that are gone. */
export class LeftSessions {
  readonly #left = new Set<LeftSession>();
  readonly #keepMs: number;
  readonly #onError: (error: Error) => void;

  constructor(keepMs: number = defaultKeepMs, onError: (error: Error) => void = () => {}) {
    this.#keepMs = keepMs;
    this.#onError = onError;
  }

  keep(left: LeftSession): void {
    this.#left.add(left);
    const [oldest] = this.#left;
    if (this.#left.size > maxLeft && oldest !== undefined) this.#end(oldest, "too many hosts are gone");
  }

  /** The session that a host comes back to, if it has one, perhaps among those that are open. */
  async takeUp(host: ReturningHost, open: readonly OpenSession[]): Promise<LeftSession | undefined> {
    // They are closed as if they were let go, so that one of them can be taken up.
    await Promise.all(lostBy(host, open).map((session) => session.close()));
    return this.#take(host);
  }

  /** The one that it names, or the last one of the same program. */
  #take({ principal, client, id }: ReturningHost): LeftSession | undefined {
    const own = [...this.#left].filter((left) => left.principal === principal);
    const found = own.find((left) => left.id === id) ?? own.findLast((left) => left.client === client);
    if (found !== undefined) this.#left.delete(found);
    return found;
  }

  /** Whether a host of that principal left a session by that id. */
  has(id: string, principal: string): boolean {
    return [...this.#left].some((left) => left.id === id && left.principal === principal);
  }

  endOld(): void {
    const since = Date.now() - this.#keepMs;
    for (const left of this.#left) if (left.leftAt < since) this.#end(left, "its host did not come back");
  }

  async close(): Promise<void> {
    const all = [...this.#left];
    this.#left.clear();
    await Promise.all(all.map(({ mcp }) => mcp.close()));
  }

  #end(left: LeftSession, reason: string): void {
    this.#left.delete(left);
    left.mcp.close(reason).catch(this.#onError);
  }
}

/** Those of the sessions that are open whose connection the returning host must have lost. */
function lostBy(host: ReturningHost, sessions: readonly OpenSession[]): readonly OpenSession[] {
  const since = Date.now() - lostAfterMs;
  return sessions.filter(
    ({ id, principal, client, leftAt, busy }) =>
      principal === host.principal &&
      !busy &&
      (id === host.id || (client === host.client && leftAt !== undefined && leftAt <= since)),
  );
}
