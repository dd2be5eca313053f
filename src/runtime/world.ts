import type { WorldPorts } from "../call/parts.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type { InteractBackend } from "../contract/ports/interact.js";
import type { Store } from "../contract/ports/store.js";
import type { CallSession } from "../contract/session.js";
import { protectedPathGlobs } from "../policy/built-in-rules.js";
import type { Guard } from "../world/files/guard-types.js";
import { createGuard } from "../world/files/guard.js";
import { createPathRules } from "../world/files/path-rules.js";
import { createInteract } from "../world/interact/ask-person.js";
import { createCallbackBackend, type InteractCallbacks } from "../world/interact/callback-backend.js";
import type { TenonOptions } from "./create-tenon.js";
import type { LazyState } from "./lazy-state.js";
import { createLog } from "./log.js";

export interface WorldOptions {
  readonly options: TenonOptions;
  readonly config: ResolvedConfig;
  readonly workspace: string;
  readonly stateDir: string;
  readonly state: LazyState;
  readonly clock: Clock;
  readonly redact: <T>(value: T) => T;
}

/** The real world behind the ports, and what the runtime itself needs of it. */
export interface World {
  readonly ports: WorldPorts;
  readonly guardKind: () => Guard["kind"];
  checkPath(path: string, access?: "read" | "write"): PathVerdict;
  backendFor(session: CallSession): InteractBackend | undefined;
  close(): Promise<void>;
}

/** Open the world lazily: what no call uses is never made. */
export function createWorld(parts: WorldOptions): World {
  const { options, config, state, clock } = parts;
  const backend = toBackend(options.interact);
  let opened: Guard | undefined;
  const guard = (): Guard => (opened ??= openGuard(parts));
  const checkPath = (path: string, access: "read" | "write" = "read"): PathVerdict => guard().check(path, access);
  return {
    ports: {
      files: () => notYet("files"),
      http: () => notYet("http"),
      store: ({ toolName }) => createToolStore(state, toolName),
      interact: (scope) =>
        createInteract({ backend, timeoutMs: config.approvals.timeoutMs, clock, pauseClock: () => scope.pauseClock() }),
      log: ({ callId, toolName }) =>
        createLog({
          level: config.tools.perTool[toolName]?.monitoring?.logLevel ?? config.logLevel,
          sink: options.log ?? (() => {}),
          now: clock.now,
          redact: parts.redact,
          fields: { callId, toolName },
        }),
      canonicalPath: (path) => guard().canonical(path),
      checkPath,
    },
    guardKind: () => guard().kind,
    checkPath,
    backendFor: () => backend,
    async close() {},
  };
}

function notYet(port: string): never {
  throw new ToolUnavailableError(`No ${port} here.`);
}

function openGuard({ config, workspace, stateDir }: WorldOptions): Guard {
  const rules = createPathRules({
    workspace,
    allowedPaths: config.files.allowedPaths,
    forbiddenPaths: config.files.forbiddenPaths,
    protectedGlobs: [...protectedPathGlobs, ...config.files.protectedPaths],
    strict: config.files.strict,
    stateDir,
  });
  return createGuard({ rules, maxFileSize: config.files.maxFileSize });
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
