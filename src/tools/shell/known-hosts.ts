/** The hosts that commands of a session were already granted. */
export interface KnownHosts {
  /** The hosts for the person who is asked, with those marked that are new in this session or get credentials. */
  mark(sessionId: string, hosts: readonly string[], credentialHosts: readonly string[]): readonly string[];
  add(sessionId: string, hosts: readonly string[]): void;
}

const maxSessions = 1000;

/** Create an empty collection. */
export function createKnownHosts(): KnownHosts {
  const bySession = new Map<string, Set<string>>();
  return {
    mark(sessionId, hosts, credentialHosts) {
      const known = bySession.get(sessionId);
      return hosts.map((host) => {
        const shown = host === "*" ? "every public host" : host;
        const name = host.replace(/:\d+$/, "");
        const marks = [
          ...(known?.has(host) === true ? [] : ["new"]),
          ...(credentialHosts.includes(name) ? ["with your credentials"] : []),
        ];
        return marks.length === 0 ? shown : `${shown} (${marks.join(", ")})`;
      });
    },
    add(sessionId, hosts) {
      if (hosts.length === 0) return;
      const known = bySession.get(sessionId) ?? new Set();
      for (const host of hosts) known.add(host);
      // The oldest session is forgotten: at worst, its hosts are shown as new again.
      bySession.delete(sessionId);
      bySession.set(sessionId, known);
      const [oldest] = bySession.keys();
      if (bySession.size > maxSessions && oldest !== undefined) bySession.delete(oldest);
    },
  };
}
