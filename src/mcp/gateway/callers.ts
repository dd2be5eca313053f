import { capabilitiesOf, capabilityKey, type Caller, type Capabilities, type Profile } from "./caller.js";

interface OpenSession {
  /** Of its last call. */
  caller: Caller;
  /** What its host declared, once that was asked for. */
  declared: string | undefined;
}

/** Remembers for which open sessions a server works. */
export class Callers {
  readonly #sessions = new Map<string, OpenSession>();

  /** The session may be asked something from now on, even if it has not called anything yet. */
  meet(caller: Caller): void {
    const known = this.#sessions.get(caller.sessionId);
    if (known === undefined) this.#sessions.set(caller.sessionId, { caller, declared: undefined });
    else known.caller = caller;
  }

  /** The caller of a session's last call. */
  last(sessionId: string): Caller | undefined {
    return this.#sessions.get(sessionId)?.caller;
  }

  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  /** The only open session, or the only one whose host declared exactly this. */
  only(capabilities?: Capabilities): Caller | undefined {
    const wanted = capabilities && capabilityKey(capabilities);
    let found: Caller | undefined;
    for (const session of this.#sessions.values()) {
      if (wanted !== undefined) {
        session.declared ??= capabilityKey(capabilitiesOf(session.caller));
        if (session.declared !== wanted) continue;
      }
      if (found !== undefined) return undefined;
      found = session.caller;
    }
    return found;
  }

  /** The only session that a connection can speak for while none of its calls runs. */
  onlyFor({ capabilities, era }: Profile, session: string | undefined): Caller | undefined {
    if (session !== undefined) return this.last(session);
    return this.only(era === "modern" ? undefined : (capabilities ?? {}));
  }
}
