import type { WorldPorts } from "../call/parts.js";
import type { RuleGroup } from "../config/load-config.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import type { Clock } from "../contract/ports/clock.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type { InteractBackend } from "../contract/ports/interact.js";
import type { Store } from "../contract/ports/store.js";
import type { CallSession } from "../contract/session.js";
import type { Policy } from "../policy/create-policy.js";
import { createFiles } from "../world/files-port.js";
import type { Guard } from "../world/files/guard-types.js";
import { createInteract } from "../world/interact/ask-person.js";
import { createCallbackBackend, type InteractCallbacks } from "../world/interact/callback-backend.js";
import type { Journal } from "../world/journal/journal.js";
import type { TenonOptions } from "./create-tenon.js";
import { createGuards } from "./guards.js";
import { createLazyJournal } from "./lazy-journal.js";
import type { LazyState } from "./lazy-state.js";
import { createLog } from "./log.js";
import { createNetwork } from "./network.js";

export interface WorldOptions {
  readonly options: TenonOptions;
  readonly config: ResolvedConfig;
  readonly rules: readonly RuleGroup[];
  readonly workspace: string;
  readonly stateDir: string;
  readonly state: LazyState;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly redact: <T>(value: T) => T;
}

/** The real world behind the ports, and what the runtime itself needs of it. */
export interface World {
  readonly ports: WorldPorts;
  readonly journal: Journal;
  readonly guardKind: () => Guard["kind"];
  readonly checkPath: (path: string, access?: "read" | "write") => PathVerdict;
  readonly backendFor: (session: CallSession) => InteractBackend | undefined;
  close(): Promise<void>;
}

/** Open the world lazily: what no call uses is never made. */
export function createWorld(parts: WorldOptions): World {
  const { options, config, state, clock } = parts;
  const backend = toBackend(options.interact);
  const guards = createGuards(parts);
  const journal = createLazyJournal(parts, () => guards.common());
  const network = createNetwork(config, parts.policy);
  const checkPath = (path: string, access: "read" | "write" = "read"): PathVerdict =>
    guards.common().check(path, access);
  return {
    ports: {
      files: ({ toolName, callId, taskId, session, signal }) =>
        createFiles({
          guard: guards.forCall(toolName, session),
          journal,
          origin: { callId, sessionId: session.id, tool: toolName, ...(taskId !== undefined && { taskId }) },
          signal,
        }),
      http: (scope) => network.forCall(scope),
      store: ({ toolName }) => createToolStore(state, toolName),
      interact: (scope) =>
        createInteract({
          backend,
          timeoutMs: config.approvals.timeoutMs,
          clock,
          pauseClock: () => scope.pauseClock(),
        }),
      log: ({ callId, toolName }) =>
        createLog({
          level: config.tools.perTool[toolName]?.monitoring?.logLevel ?? config.logLevel,
          sink: options.log ?? (() => {}),
          now: clock.now,
          redact: parts.redact,
          fields: { callId, toolName },
        }),
      canonicalPath: (path) => guards.common().canonical(path),
      checkPath,
      checkHost: (host) => network.checkHost(host),
    },
    journal,
    guardKind: () => guards.common().kind,
    checkPath,
    backendFor: () => backend,
    close: () => network.close(),
  };
}

function toBackend(interact: InteractBackend | InteractCallbacks | undefined): InteractBackend | undefined {
  if (interact === undefined) return undefined;
  return "available" in interact ? interact : createCallbackBackend(interact);
}

/** Each tool has a name space of its own in the state. */
function createToolStore(state: LazyState, toolName: string): Store {
  const store = async (): Promise<Store> => (await state.open()).kv(`tool:${toolName}`);
  return {
    get: async (key) => (await store()).get(key),
    set: async (key, value) => (await store()).set(key, value),
    delete: async (key) => (await store()).delete(key),
    list: async (prefix) => (await store()).list(prefix),
  };
}
