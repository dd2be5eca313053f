import type { RecordAction } from "../audit/audited-action.js";
import type { RuntimeBase } from "../state/runtime-base.js";
import type { SpineParts } from "../../call/parts.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import { claimsOther, toOwnedId } from "../../contract/ownership.js";
import type { Stage } from "../../contract/ports/pipeline.js";
import type { SeenFiles } from "../../contract/ports/seen.js";
import type { SessionOptions } from "../../contract/tenon.js";
import { matchesName, compileNames } from "../../glob/name-glob.js";
import { findForeignTool } from "../../llm/foreign-tools.js";
import { misspeltTool } from "../../registry/misspelt-tool.js";
import type { ToolRegistry } from "../../registry/tool-registry.js";
import { narrowToolset, withNative, type Toolset } from "../../registry/toolsets.js";
import type { Redactor } from "../../world/secrets/redactor.js";
import { createSessionEnv } from "../../world/secrets/session-env.js";
import { createIds } from "../calls/ids.js";
import type { RunningCalls } from "../calls/running-calls.js";
import type { SeenBySessions } from "../state/seen-by-sessions.js";
import type { SessionIteration } from "../state/work-access.js";
import type { World } from "../world/create-world.js";
import { safeEnv } from "../world/safe-env.js";
import { checkSessionOptions } from "./check-session-options.js";
import type { NamedSessions } from "./named-sessions.js";
import { Session, type SessionDeps } from "./session.js";
import type { RuleGroup } from "../../config/load-config.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import type { ClientInfo } from "../../contract/ports/interact.js";

/** What sessions are opened with. */
export interface SessionsOptions extends RuntimeBase {
  readonly spine: SpineParts;
  readonly world: World;
  readonly sessions: NamedSessions;
  readonly seen: SeenBySessions;
  readonly running: RunningCalls;
  readonly redactor: Redactor;
  /** End what MCP servers keep for a session. */
  readonly endServers: (sessionId: string) => Promise<void>;
  readonly recordAction: RecordAction;
}

interface SessionStart {
  readonly iteration: SessionIteration;
  readonly seen: SeenFiles;
  readonly env?: Readonly<Record<string, string>>;
  readonly onChange?: (key: string, value: string) => Promise<void>;
}

/** Opens sessions, with a name that outlives the process or without one. */
export function createSessions(deps: SessionsOptions) {
  const { config, spine, world, sessions, seen, running } = deps;
  const newSessionId = createIds("session");
  const nameClient = createNameClient(config, deps.rules);
  const isAllowed = (name: string): boolean =>
    config.secrets.allowEnv.some((glob) => matchesName(glob, name));
  const open = (options: SessionOptions, { iteration, seen, env, onChange }: SessionStart): Session => {
    checkSessionOptions(options);
    if (options.id !== undefined && claimsOther(options.id, options)) throw foreignId(options.id);
    const { client } = options;
    const namesItself = client !== undefined && options.agent === undefined && !config.agentIsNamed;
    return new Session(
      {
        ...options,
        id: options.id ?? toOwnedId(newSessionId(), options),
        agent: options.agent ?? config.agent,
      },
      {
        spine,
        env: createSessionEnv({
          initial: { ...safeEnv(deps.env), ...env, ...options.env },
          isAllowed,
          changed: Object.keys(env ?? {}),
          onSecret: deps.redactor.addKnown,
          ...(onChange !== undefined && { onChange }),
        }),
        seen,
        iteration,
        ...(namesItself && { nameAgent: nameAfter(client, nameClient) }),
        ...toolsetFor(options, iteration, deps),
        running,
        endJobs: async (sessionId, reason) => {
          await sessions.endSession(sessionId);
          const jobs = reason === undefined ? [] : world.runningJobs(sessionId);
          const end = (): Promise<void> => world.endSession(sessionId);
          if (jobs.length === 0) await end();
          else {
            const given = { session: sessionId, reason, jobs };
            await deps.recordAction({ name: "jobs_end", arguments: given, run: end });
          }
          await deps.endServers(sessionId);
        },
      },
    );
  };
  return {
    createSession: (options: SessionOptions = {}): Session =>
      open(options, { seen: seen(), iteration: world.work.trackIteration(options.iterationId) }),
    async openNamedSession(name: string, options: SessionOptions = {}): Promise<Session> {
      // Setting a variable waits until it is saved, so that nothing is left to do when Tenon closes.
      const { env, setVariable: onChange } = await sessions.open(name);
      const iteration = await world.work.trackNamedIteration(name, {
        iterationId: options.iterationId,
        onWork: (work) => running.addChore(work),
      });
      const session = open({ ...options, id: name }, { env, onChange, seen: seen(name), iteration });
      // So that its tools can be listed right away; the first call reports a failure.
      if ((options.toolset ?? config.toolset) === followedToolset) await session.refresh();
      return session;
    },
  };
}

function foreignId(id: string): ToolDefinitionError {
  return new ToolDefinitionError(`The session id ${JSON.stringify(id)} belongs to another principal.`, {
    hint: 'Omit the id, or use one without "~".',
  });
}

/** A misspelt name would hide the tool. */
function checkTools(tools: readonly string[] = [], registry: ToolRegistry): void {
  for (const tool of tools) {
    const meant = misspeltTool(registry, tool);
    const elsewhere = registry.has(tool) ? undefined : findForeignTool(tool, undefined)?.hint;
    if (meant === undefined && elsewhere === undefined) continue;
    throw new ToolDefinitionError(`Unknown tool ${JSON.stringify(tool)} in the tools of a session.`, {
      hint: elsewhere ?? `Did you mean ${JSON.stringify(meant)}?`,
    });
  }
}

function toolsetFor(
  { toolset: name, native, tools }: SessionOptions,
  iteration: SessionIteration,
  { config, spine: { registry }, world }: SessionsOptions,
): Pick<SessionDeps, "toolset" | "refresh"> {
  checkNative(native, config.tools.native);
  checkTools(tools, registry);
  const lists = tools === undefined ? config.tools.enabled : [...config.tools.enabled, tools];
  /** The requested set, narrowed by every `tools.enabled` of the configuration and the session's own list. */
  const narrowed = (requested: string): Toolset | undefined => {
    const set = lists.reduce<Toolset | undefined>(
      (wider, enabled) => narrowToolset(wider, enabled, (name) => registry.has(name)),
      requested === "all" ? undefined : registry.toolset(requested),
    );
    return native === undefined ? set : withNative(set, native);
  };
  const wanted = name ?? config.toolset;
  if (wanted !== followedToolset) return { toolset: narrowed(wanted) };
  const byStage = new Map<Stage, Toolset>();
  const setFor = (stage: Stage): Toolset => {
    const set = byStage.get(stage) ?? narrowed(`stage:${stage}`) ?? registry.toolset(`stage:${stage}`);
    byStage.set(stage, set);
    return set;
  };
  return followStage({ setFor, stage: () => world.work.stageOf(iteration) });
}

function checkNative(asked: SessionOptions["native"], configured: ResolvedConfig["tools"]["native"]): void {
  const missing = asked?.find((provider) => !configured.includes(provider));
  if (missing === undefined) return;
  throw new ToolDefinitionError(`The native tools of "${missing}" are not configured.`, {
    hint: `Set tools.native to [${[...configured, missing].join(", ")}]; each session can then choose.`,
  });
}

/** Names an agent after its MCP client. */
type NameClient = (info: ClientInfo) => string;

/** Names that Tenon uses itself; a client must not get them. */
const ownNames = ["person", "default", "cli", "console", "agent", "tenon", "host", "api"];
const maxChars = 64;

/**
 * Name agents after MCP clients. The name that a client reports is untrusted: the result is valid, short, and
 * never that of an agent which the configuration names or grants something to.
 */
function createNameClient(config: ResolvedConfig, rules: readonly RuleGroup[]): NameClient {
  const granted = Array.isArray(config.capabilities) ? [] : Object.keys(config.capabilities);
  const taken = new Set([...ownNames, config.agent, ...granted].map(fold));
  const conditions = rules
    .flatMap((group) => group.rules)
    .flatMap(({ decision, agent }) => (decision === "allow" && agent !== undefined ? [listOf(agent)] : []))
    .map((patterns) => compileNames(patterns.map(fold), String))
    .filter((condition) => !condition(unmatchedName)); // a rule for every agent names none
  const isTaken = (name: string): boolean =>
    taken.has(fold(name)) || conditions.some((condition) => condition(fold(name)));
  return ({ name }) => {
    const plain = toName(name);
    for (let count = 1; count < 10; count++) {
      const candidate =
        count === 1 ? plain : `${plain.slice(0, maxChars - 9)}-client${count === 2 ? "" : count}`;
      if (!isTaken(candidate)) return candidate;
    }
    return unmatchedName;
  };
}

/** The agent's name follows the client's, as soon as the client has reported it. */
function nameAfter(client: ClientConnection, nameClient: NameClient): () => string {
  let known: { readonly info: ClientInfo; readonly name: string } | undefined;
  return () => {
    const { info = unnamed } = client;
    if (known?.info !== info) known = { info, name: nameClient(info) };
    return known.name;
  };
}

/** A client that reports no name. */
const unnamed: ClientInfo = { name: "client" };

/** A name that only a rule for all agents matches. */
const unmatchedName = "unnamed-client-0f6b2c";

function toName(said: string): string {
  const legal = said
    .normalize("NFKC")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, maxChars)
    .replace(/^[-._]+|[-._]+$/g, "");
  return legal === "" ? "client" : legal;
}

function fold(name: string): string {
  return name.toLowerCase();
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

/** The name of the toolset that follows the pipeline. */
const followedToolset = "stage";

/** A toolset that changes with the pipeline. */
interface StageToolset {
  readonly toolset: Toolset;
  /** Update to the current stage. */
  refresh(): Promise<void>;
}

interface StageToolsetOptions {
  readonly setFor: (stage: Stage) => Toolset;
  /** `null` when all stages are done, `undefined` before the first iteration. */
  readonly stage: () => Promise<Stage | null | undefined>;
}

/** The tools of the current stage; before and after all stages those of the first, which can change the least. */
function followStage({ setFor, stage }: StageToolsetOptions): StageToolset {
  let now: Stage = "idea";
  return {
    toolset: { name: followedToolset, has: (entry) => setFor(now).has(entry) },
    async refresh() {
      now = (await stage()) ?? "idea";
    },
  };
}
