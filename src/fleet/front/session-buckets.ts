import * as z from "zod";
import type { SessionDirectory } from "../../mcp/server/session-directory.js";
import type { Bus } from "../bus/open-bus.js";

const knownSchema = z.object({ principal: z.string(), greeting: z.unknown(), session: z.string() });

export interface FleetSessions extends SessionDirectory {
  /** Whether a host has ended its session here, for all fronts. */
  isEnded(session: string): boolean;
}

const maxEnded = 1000;

/** The sessions of MCP hosts, for all fronts of the tenant. */
export function createSessionDirectory({
  sessions,
  connection,
  names,
}: Pick<Bus, "sessions" | "connection" | "names">): FleetSessions {
  const ended = new Set<string>();
  const directory: FleetSessions = {
    isEnded: (session) => ended.has(session),
    async keep(id, known) {
      await sessions.put(id, JSON.stringify(known));
    },
    async find(id) {
      if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) return undefined;
      const entry = await sessions.get(id);
      if (entry === null || entry.operation !== "PUT") return undefined;
      const { principal, greeting, session } = knownSchema.parse(entry.json());
      return { principal, greeting, session };
    },
    async remove(id) {
      const known = await directory.find(id);
      if (known === undefined) return;
      ended.add(known.session);
      const [oldest] = ended;
      if (ended.size > maxEnded && oldest !== undefined) ended.delete(oldest);
      await sessions.delete(id);
      connection.publish(names.ended(id), known.session);
    },
    onRemoved(listener) {
      connection.subscribe(names.ended("*"), {
        callback: (error, message) => {
          const id = message.subject.slice(message.subject.lastIndexOf(".") + 1);
          if (error === null && !ended.has(message.string())) listener(id);
        },
      });
    },
  };
  return directory;
}
