import type { Identity } from "../contract/ports/access.js";
import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";

/** Sessions at the same time; the one that was used the longest ago gives way. */
const maxSessions = 256;

/** A session for each user who makes calls through the API; another role is another session. */
export class UserSessions {
  readonly #tenon: Tenon;
  readonly #onFault: (cause: unknown) => void;
  readonly #sessions = new Map<string, Session>();

  constructor(tenon: Tenon, onFault: (cause: unknown) => void) {
    this.#tenon = tenon;
    this.#onFault = onFault;
  }

  of({ principal, kind, role }: Identity): Session {
    const key = `${principal}:${role}`;
    const agent = kind === "person" ? "person" : principal;
    const session =
      this.#sessions.get(key) ??
      this.#tenon.createSession({ agent, userId: principal, principal, role, closedChannels: ["host"] });
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    for (const [oldest, unused] of this.#sessions) {
      if (this.#sessions.size <= maxSessions) break;
      this.#sessions.delete(oldest);
      unused.close().catch(this.#onFault);
    }
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }
}
