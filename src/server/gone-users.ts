import { ownerOfSession } from "../contract/ownership.js";
import type { AccessStore } from "../contract/ports/access.js";

export interface GoneUsersOptions {
  readonly access: Pick<AccessStore, "principal">;
  /** Users whose programs are connected, and sessions in which calls run. */
  readonly active: () => { readonly users: Iterable<string>; readonly sessions: Iterable<string> };
  /** Stop what runs for a user who has lost access. */
  readonly end: (user: string) => void;
  readonly onFault: (cause: unknown) => void;
  /** @default 1000 */
  readonly everyMs?: number | undefined;
}

/** Stops what runs for users who were removed or disabled, in any process. Returns a function that ends this. */
export function watchGoneUsers(options: GoneUsersOptions): () => void {
  let checking: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const { users, sessions } = options.active();
    const names = new Set(users);
    for (const session of sessions) {
      const owner = ownerOfSession(session);
      if (owner !== undefined) names.add(owner);
    }
    for (const name of names) {
      const user = await options.access.principal(name);
      if (user === undefined || user.disabledAt !== undefined) options.end(name);
    }
  };
  const timer = setInterval(() => {
    checking ??= check()
      .catch(options.onFault)
      .finally(() => (checking = undefined));
  }, options.everyMs ?? 1000);
  timer.unref();
  return () => clearInterval(timer);
}
