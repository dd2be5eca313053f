import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";
import type { ConsoleAccess } from "./console-access.js";
import type { ClientCounts } from "./client-counts.js";
import type { ConsolePerson } from "./console-person.js";
import type { Admission } from "./gate.js";
import type { Feed } from "./feed.js";
import type { LiveCalls } from "./live-calls.js";
import type { SharedQueue } from "./shared-queue.js";
import type { Series } from "./metrics-series.js";

/** What the routes of the console work on. */
export interface RouteContext {
  readonly tenon: Tenon;
  readonly person: ConsolePerson | undefined;
  readonly calls: LiveCalls;
  readonly feed: Feed;
  /** What waits for consent. */
  readonly queue: SharedQueue;
  /** Somebody looks at what waits, though no page may be open: a program does. */
  readonly noteApprovalsRead: () => void;
  readonly clients: ClientCounts;
  readonly series: Series;
  /** What the optimiser said lately, newest last. */
  readonly advice: readonly { readonly toolName: string; readonly kind: string; readonly message: string }[];
  readonly workspace: string;
  readonly version: string;
  readonly startedAt: number;
  readonly now: () => number;
  /** The browsers that are signed in, and how others come in. */
  readonly access: ConsoleAccess;
  /** Where the server listens. */
  readonly boundPort: () => number;
  /** The session that calls of the one who asks run in: the console's, or the user's own. */
  session(admitted: Admission): Promise<Session>;
}
