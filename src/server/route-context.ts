import type { AuditUsage } from "../contract/ports/audit.js";
import type { DefinitionTokens } from "../runtime/catalogue/definition-tokens.js";
import type { Session } from "../runtime/sessions/session.js";
import type { Tenon } from "../runtime/tenon.js";
import type { ConsoleAccess } from "./console-access.js";
import type { ClientCounts } from "./client-counts.js";
import type { ConsolePerson } from "./console-person.js";
import type { Admission } from "./gate.js";
import type { ConsoleLogin } from "./identity/console-login.js";
import type { Feed } from "./feed.js";
import type { LiveCalls } from "./live-calls.js";
import type { McpHostView } from "../mcp/server/create-mcp-http.js";
import type { ServerMachine } from "./manage-api.js";
import type { SharedQueue } from "./shared-queue.js";

/** What the routes of the console use. */
export interface RouteContext {
  readonly tenon: Tenon;
  readonly person: ConsolePerson | undefined;
  readonly calls: LiveCalls;
  readonly feed: Feed;
  /** What waits for consent. */
  readonly queue: SharedQueue;
  /** A program watches what waits, even though no page may be open. */
  readonly noteApprovalsRead: () => void;
  readonly clients: ClientCounts;
  readonly definitionTokens: DefinitionTokens;
  /** The MCP hosts that are connected. */
  readonly hosts: { list(): readonly McpHostView[]; end(id: string): boolean };
  /** What was recently read from the log for the metrics, by the minutes of its range. */
  readonly usages: Map<number, { readonly at: number; readonly usage: Promise<AuditUsage> }>;
  /** Recent advice of the optimiser, newest last. */
  readonly advice: readonly { readonly toolName: string; readonly kind: string; readonly message: string }[];
  readonly workspace: string;
  /** What only the program that started the server knows. */
  readonly machine: ServerMachine | undefined;
  readonly version: string;
  readonly startedAt: number;
  readonly now: () => number;
  /** The browsers that are signed in, and how others come in. */
  readonly access: ConsoleAccess;
  /** Signing in with the OpenID provider of the configuration. */
  readonly login: ConsoleLogin | undefined;
  /** Where the server listens. */
  readonly boundPort: () => number;
  /** The session that calls of the one who asks run in: the console's, or the user's own. */
  session(admitted: Admission): Promise<Session>;
}
