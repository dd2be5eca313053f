import type { NetworkUse } from "../../contract/ports/processes.js";

/** A command or a program that uses the network. */
export interface NetworkUser {
  readonly sessionId: string;
  /** The call that started it; empty for an MCP server or a plugin. */
  readonly callId: string;
  /** What runs, for people. */
  readonly name: string;
}

/** What one of them reached or was refused. */
export interface ConnectionRow extends NetworkUse, NetworkUser {
  readonly startedAt: number;
  /** Whether what made the connection has ended. */
  readonly ended: boolean;
}

/** What uses the network, and what used it lately. */
export interface NetworkActivity {
  begin(user: NetworkUser, use: () => readonly NetworkUse[]): () => void;
  /** The newest first. */
  list(): readonly ConnectionRow[];
}

const maxEnded = 100;
const maxRows = 500;

/** Keep track of everything that uses the network, within bounds. */
export function createNetworkActivity(now: () => number): NetworkActivity {
  const running = new Set<() => readonly ConnectionRow[]>();
  const ended: (readonly ConnectionRow[])[] = [];
  return {
    begin(user, use) {
      const startedAt = now();
      const rows = (isOver: boolean): ConnectionRow[] =>
        use().map((each) => ({ ...each, ...user, startedAt, ended: isOver }));
      const live = (): readonly ConnectionRow[] => rows(false);
      running.add(live);
      return () => {
        if (!running.delete(live)) return;
        const last = rows(true);
        if (last.length > 0) ended.push(last);
        if (ended.length > maxEnded) ended.shift();
      };
    },
    list: () =>
      [...[...running].toReversed().flatMap((live) => live()), ...ended.toReversed().flat()].slice(
        0,
        maxRows,
      ),
  };
}
