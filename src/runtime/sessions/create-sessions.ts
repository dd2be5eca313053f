import type { RuntimeBase } from "../state/runtime-base.js";
import type { SpineParts } from "../../call/parts.js";
import type { Stage } from "../../contract/ports/pipeline.js";
import type { SeenFiles } from "../../contract/ports/seen.js";
import type { SessionOptions } from "../../contract/tenon.js";
import { matchesName } from "../../glob/name-glob.js";
import { narrowToolset, type Toolset } from "../../registry/toolsets.js";
import type { Redactor } from "../../world/secrets/redactor.js";
import { createSessionEnv } from "../../world/secrets/session-env.js";
import { createIds } from "../calls/ids.js";
import type { RunningCalls } from "../calls/running-calls.js";
import type { SeenBySessions } from "../state/seen-by-sessions.js";
import type { SessionIteration } from "../state/work-access.js";
import type { World } from "../world/create-world.js";
import { safeEnv } from "../world/safe-env.js";
import { createNameClient, nameAfter } from "./client-agent.js";
import type { NamedSessions } from "./named-sessions.js";
import { Session, type SessionDeps } from "./session.js";
import { followedToolset, followStage } from "./stage-toolset.js";

/** What sessions are opened with. */
export interface SessionsOptions extends RuntimeBase {
  readonly spine: SpineParts;
  readonly world: World;
  readonly sessions: NamedSessions;
  readonly seen: SeenBySessions;
  readonly running: RunningCalls;
  readonly redactor: Redactor;
}

/** What a new session starts with. */
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
    const { client } = options;
    const namesItself = client !== undefined && options.agent === undefined && !config.agentIsNamed;
    return new Session(
      { ...options, id: options.id ?? newSessionId(), agent: options.agent ?? config.agent },
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
        ...toolsetFor(options.toolset ?? config.toolset, iteration, deps),
        running,
        endJobs: async (sessionId) => {
          await sessions.endSession(sessionId);
          await world.endSession(sessionId);
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

function toolsetFor(
  name: string,
  iteration: SessionIteration,
  { config, spine: { registry }, world }: SessionsOptions,
): Pick<SessionDeps, "toolset" | "refresh"> {
  /** The requested set, narrowed by every `tools.enabled` of the configuration. */
  const narrowed = (requested: string): Toolset | undefined =>
    config.tools.enabled.reduce<Toolset | undefined>(
      (set, enabled) => narrowToolset(set, enabled),
      requested === "all" ? undefined : registry.toolset(requested),
    );
  if (name !== followedToolset) return { toolset: narrowed(name) };
  const byStage = new Map<Stage, Toolset>();
  const setFor = (stage: Stage): Toolset => {
    const set = byStage.get(stage) ?? narrowed(`stage:${stage}`) ?? registry.toolset(`stage:${stage}`);
    byStage.set(stage, set);
    return set;
  };
  return followStage({ setFor, stage: () => world.work.stageOf(iteration) });
}
