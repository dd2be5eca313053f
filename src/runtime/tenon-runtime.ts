import { messageOf } from "../contract/message-of.js";
import type { SpineParts } from "../call/parts.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import type { Stage } from "../contract/ports/pipeline.js";
import type { Recorder } from "../contract/ports/recorder.js";
import type { SeenFiles } from "../contract/ports/seen.js";
import type { WorkStores } from "../contract/ports/store.js";
import type { SessionOptions } from "../contract/tenon.js";
import type { Policy } from "../policy/create-policy.js";
import type { Metrics } from "../record/metrics.js";
import { createOptimiser, type Optimiser } from "../record/optimiser.js";
import { matchesGlob } from "../registry/glob.js";
import type { ToolRegistry } from "../registry/tool-registry.js";
import { narrowToolset, type Toolset } from "../registry/toolsets.js";
import type { Redactor } from "../world/secrets/redactor.js";
import { createSessionEnv } from "../world/secrets/session-env.js";
import type { ApprovalDesk } from "./approvals/approval-desk.js";
import type { RuntimeAudit } from "./audit/runtime-audit.js";
import type { Extensions } from "./catalogue/extensions.js";
import { nameAfter, type NameClient } from "./sessions/client-agent.js";
import { createIds } from "./calls/ids.js";
import type { LazyState } from "./state/lazy-state.js";
import type { RuntimeServers } from "./gateway/runtime-servers.js";
import type { NamedSessions } from "./sessions/named-sessions.js";
import { createOptimiserParts } from "./catalogue/optimiser-parts.js";
import type { PluginMethods } from "./plugins/plugin-methods.js";
import type { Plugins } from "./plugins/plugins.js";
import type { RuleMethods } from "./approvals/rule-methods.js";
import type { RunningCalls } from "./calls/running-calls.js";
import type { RuntimePolicy } from "./approvals/runtime-policy.js";
import { safeEnv } from "./world/safe-env.js";
import type { SeenBySessions } from "./state/seen-by-sessions.js";
import { Session, type SessionParts } from "./sessions/session.js";
import { followedToolset, followStage } from "./sessions/stage-toolset.js";
import type { TaskMethods } from "./tasks/task-methods.js";
import type { Tenon } from "./tenon.js";
import { reportTools } from "./catalogue/tool-report.js";
import type { UndoMethods } from "./journal/undo-methods.js";
import type { Seat } from "./state/work-access.js";
import type { World } from "./world/create-world.js";

/** Everything that `createTenon` has wired. */
export interface RuntimeParts {
  readonly plugins: Plugins;
  readonly audit: RuntimeAudit;
  readonly extensions: Extensions;
  readonly config: ResolvedConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly spine: SpineParts;
  readonly metrics: Metrics;
  readonly state: LazyState;
  readonly policy: RuntimePolicy;
  readonly desk: ApprovalDesk;
  readonly nameClient: NameClient;
  readonly world: World;
  readonly sessions: NamedSessions;
  readonly seen: SeenBySessions;
  readonly running: RunningCalls;
  readonly redactor: Redactor;
  readonly mcp: RuntimeServers;
  readonly lifetime: { closed: boolean };
}

type OtherMethods =
  | keyof PluginMethods
  | keyof UndoMethods
  | keyof TaskMethods
  | keyof RuleMethods
  | "newCallId"
  | "result";

/** A running Tenon: sessions, tasks and the end of it all. */
export class TenonRuntime implements Omit<Tenon, OtherMethods> {
  readonly config: ResolvedConfig;
  readonly registry: ToolRegistry;
  readonly metrics: Metrics;
  readonly policy: Policy;
  readonly optimiser: Optimiser;
  readonly mcp: RuntimeServers;
  readonly paths: Tenon["paths"];
  readonly audit: Tenon["audit"];
  readonly approvals: Tenon["approvals"];
  readonly call: Tenon["call"];
  readonly callMany: Tenon["callMany"];
  readonly stream: Tenon["stream"];
  readonly validate: Tenon["validate"];
  readonly prompt: Tenon["prompt"];
  readonly #parts: RuntimeParts;
  readonly #newSessionId = createIds("session");
  #closing: Promise<void> | undefined;

  constructor(parts: RuntimeParts) {
    const { config, spine, metrics, policy, world, state, running } = parts;
    this.#parts = parts;
    this.mcp = parts.mcp;
    if (state.exists() || parts.mcp.configured || parts.audit.hasUnsettled())
      running.startWith(() => this.#start());
    this.config = config;
    this.audit = parts.audit.log;
    this.approvals = parts.desk;
    this.registry = spine.registry;
    this.metrics = metrics;
    this.policy = policy.policy;
    this.optimiser = createOptimiser(createOptimiserParts(config, spine, metrics));
    this.paths = { check: world.checkPath };
    const own = this.createSession();
    this.call = own.call;
    this.callMany = own.callMany;
    this.stream = own.stream;
    this.validate = own.validate;
    this.prompt = own.prompt;
  }

  register: Tenon["register"] = (tool) => this.registry.register(tool);

  use: Tenon["use"] = (extension) => this.#parts.extensions.use(extension);

  extensions: Tenon["extensions"] = () => this.#parts.extensions.list();

  createSession(options: SessionOptions = {}): Session {
    const seat = this.#parts.world.work.createSeat(options.iterationId);
    return this.#openSession(options, { seen: this.#parts.seen(), seat });
  }

  async openNamedSession(name: string, options: SessionOptions = {}): Promise<Session> {
    // Who sets a variable waits until it is kept, so that nothing is left to do when Tenon closes.
    const { env, setVariable: onChange } = await this.#parts.sessions.open(name);
    const seat = await this.#parts.world.work.openSeat(name, {
      iterationId: options.iterationId,
      onWork: (work) => this.#parts.running.addChore(work),
    });
    const session = this.#openSession(
      { ...options, id: name },
      { initial: env, onChange, seen: this.#parts.seen(name), seat },
    );
    // So that its tools can be listed right away; a failure is told by the first call.
    if ((options.toolset ?? this.config.toolset) === followedToolset) await session.refresh();
    return session;
  }

  on: Tenon["on"] = (name, listener) => this.#parts.spine.events.on(name, listener);

  onAny: Tenon["onAny"] = (listener) => this.#parts.spine.events.onAny(listener);

  health: Tenon["health"] = (name) => this.registry.health(name);

  stats: Tenon["stats"] = () => this.#parts.spine.scheduler.stats();

  toolReport: Tenon["toolReport"] = (query) => {
    const { spine, metrics, config } = this.#parts;
    const { current } = createOptimiserParts(config, spine, metrics);
    const experiment = (name: string) => this.registry.versions(name).split;
    return reportTools({ log: this.audit, settings: current, experiment }, query);
  };

  callerGone: Tenon["callerGone"] = (callId) => this.#parts.running.callerGone(callId);

  cancel: Tenon["cancel"] = (callId, reason) => this.#parts.running.cancel(callId, reason);

  syncRules: Tenon["syncRules"] = () => this.#parts.policy.sync();

  sessionRules: Tenon["sessionRules"] = () => this.#parts.policy.sessionRules();

  get work(): WorkStores {
    return this.#parts.world.work.person;
  }

  get guardKind(): Tenon["guardKind"] {
    return this.#parts.world.guardKind();
  }

  sandboxFacts: Tenon["sandboxFacts"] = () => this.#parts.world.sandboxFacts();

  async ready(): Promise<void> {
    const fault = await this.#parts.running.starting;
    if (fault !== undefined) throw fault;
    await this.#parts.plugins.start();
  }

  async checkState(): ReturnType<Tenon["checkState"]> {
    const state = await this.#parts.state.open();
    const dir = state.sql.dialect === "sqlite" ? state.dir : `${state.name}, contents in ${state.dir}`;
    return { ...(await state.integrity()), dir, damaged: state.damaged() };
  }

  close(options: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(options.graceMs ?? 30_000);
    return this.#closing;
  }

  /** What an earlier run left behind is taken up before the first call. */
  async #start(): Promise<void> {
    const { state, policy, world, audit } = this.#parts;
    if (state.exists()) {
      await policy.load();
      await world.journal.recover();
      await world.work.refresh();
    }
    await audit.settle();
    if (this.mcp.configured) await this.mcp.load();
  }

  #openSession(options: SessionOptions, env: SessionSources): Session {
    const { spine, config } = this.#parts;
    const isAllowed = (name: string): boolean =>
      config.secrets.allowEnv.some((glob) => matchesGlob(glob, name));
    const initial = { ...safeEnv(this.#parts.env), ...env.initial, ...options.env };
    const { client } = options;
    const namesItself = client !== undefined && options.agent === undefined && !config.agentIsNamed;
    return new Session(
      { ...options, id: options.id ?? this.#newSessionId(), agent: options.agent ?? config.agent },
      {
        spine,
        env: createSessionEnv({
          initial,
          isAllowed,
          changed: Object.keys(env.initial ?? {}),
          onSecret: this.#parts.redactor.addKnown,
          ...(env.onChange !== undefined && { onChange: env.onChange }),
        }),
        seen: env.seen,
        seat: env.seat,
        ...(namesItself && { nameAgent: nameAfter(client, this.#parts.nameClient) }),
        ...this.#toolsetFor(options.toolset ?? config.toolset, env.seat),
        running: this.#parts.running,
        endJobs: async (sessionId) => {
          await this.#parts.sessions.endSession(sessionId);
          await this.#parts.world.endSession(sessionId);
        },
      },
    );
  }

  #toolsetFor(name: string, seat: Seat): Pick<SessionParts, "toolset" | "refresh"> {
    if (name !== followedToolset) return { toolset: this.#toolset(name) };
    const sets = new Map<Stage, Toolset>();
    const setFor = (stage: Stage): Toolset => {
      const set =
        sets.get(stage) ?? this.#toolset(`stage:${stage}`) ?? this.registry.toolset(`stage:${stage}`);
      sets.set(stage, set);
      return set;
    };
    return followStage({ setFor, stage: () => this.#parts.world.work.stageOf(seat) });
  }

  /** The set that is asked for, narrowed by every `tools.enabled` of the configuration. */
  #toolset(name: string): Toolset | undefined {
    const asked = name === "all" ? undefined : this.registry.toolset(name);
    return this.config.tools.enabled.reduce<Toolset | undefined>(
      (set, enabled) => narrowToolset(set, enabled),
      asked,
    );
  }

  async #close(graceMs: number): Promise<void> {
    const { lifetime, spine, state, world } = this.#parts;
    lifetime.closed = true;
    const { running } = this.#parts;
    // What fails must not keep the rest open; the first fault is told when all is free.
    let fault: unknown;
    const steps: readonly (() => void | Promise<void>)[] = [
      () => running.end(graceMs),
      () => this.#parts.desk.stop(),
      () => Promise.all([this.mcp.close(), this.#parts.plugins.close()]).then(() => undefined),
      () => this.registry.close(),
      () => world.close(),
      ...spine.recorders.map((recorder) => () => this.#closeRecorder(recorder)),
      () => this.#parts.audit.close(),
      () => state.close(),
      () => spine.deadlines.close(),
    ];
    for (const free of steps) {
      try {
        await free();
      } catch (thrown) {
        fault ??= thrown;
      }
    }
    if ((fault ??= running.fault) !== undefined) throw fault;
  }

  async #closeRecorder(recorder: Recorder): Promise<void> {
    try {
      await recorder.close?.();
    } catch (cause) {
      const { events } = this.#parts.spine;
      events.emit("LISTENER_FAILED", { event: `close:${recorder.name}`, message: messageOf(cause) });
    }
  }
}

interface SessionSources {
  readonly seat: Seat;
  readonly seen: SeenFiles;
  readonly initial?: Readonly<Record<string, string>>;
  readonly onChange?: (key: string, value: string) => Promise<void>;
}
