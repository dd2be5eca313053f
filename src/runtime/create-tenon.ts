import { createApprovals } from "../call/approve.js";
import { consentChannels } from "../call/consent-channels.js";
import type { SpineParts } from "../call/parts.js";
import { runCall } from "../call/run-call.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { TenonConfig } from "../config/config-schema.js";
import type { Extension } from "../contract/extension.js";
import type { Clock } from "../contract/ports/clock.js";
import type { InteractBackend } from "../contract/ports/interact.js";
import type { Recorder } from "../contract/ports/recorder.js";
import { toLLMTools, type LLMFormat } from "../llm/to-llm-tools.js";
import { EventBus } from "../record/event-bus.js";
import { Metrics } from "../record/metrics.js";
import type { ToolLike } from "../registry/accept-tool.js";
import { createQuotas } from "../registry/quotas.js";
import type { ToolsetDefinition } from "../registry/toolsets.js";
import { ToolRegistry } from "../registry/tool-registry.js";
import { DeadlineWheel } from "../scheduler/deadline-wheel.js";
import { Scheduler } from "../scheduler/scheduler.js";
import { defaultPlainLimits, type PlainLimits } from "../schema/take-plain.js";
import { createRedactor } from "../world/secrets/redactor.js";
import { isSecretName } from "../world/secrets/secret-names.js";
import type { InteractCallbacks } from "../world/interact/callback-backend.js";
import { createActs, type Actor } from "./acts.js";
import { createAnswerKeys } from "./answer-keys.js";
import { ApprovalDesk } from "./approval-desk.js";
import { createRuntimeAudit } from "./audit.js";
import { createBuiltInTools } from "./built-in-tools.js";
import { createCallIds } from "./call-ids.js";
import { logCalls, logSinkOf } from "./call-log.js";
import { chainTools } from "./chains.js";
import { createNameClient } from "./client-agent.js";
import { createExtensions } from "./extensions.js";
import { databaseSecrets } from "./database-secrets.js";
import { createLazyState } from "./lazy-state.js";
import type { LogSink } from "./log.js";
import { createMcpServers } from "./mcp-servers.js";
import { NamedSessions } from "./named-sessions.js";
import { openOptions } from "./options.js";
import { createOutputParts } from "./output-parts.js";
import { createReplay } from "./create-replay.js";
import { RunningCalls } from "./running-calls.js";
import { Results } from "./results.js";
import { ruleMethods } from "./rule-methods.js";
import { createSeenBySessions } from "./seen-by-sessions.js";
import { createRuntimePolicy } from "./runtime-policy.js";
import { awaitEither, pluginMethods } from "./plugin-methods.js";
import { Plugins } from "./plugins.js";
import { systemClock } from "./system-clock.js";
import { taskMethods } from "./task-methods.js";
import { Tasks } from "./tasks.js";
import { startTelemetry, type TelemetryOptions } from "./telemetry.js";
import type { Tenon } from "./tenon.js";
import { createToolSearch } from "./tool-search.js";
import { createToolSettings } from "./tool-settings.js";
import { TenonRuntime } from "./tenon-runtime.js";
import { undoMethods } from "./undo-methods.js";
import { createWorld } from "./world.js";

/** What a Tenon is made with; everything can be left out. */
export interface TenonOptions {
  /** The folder the agent works in. @default the configuration's, else the current folder */
  readonly workspace?: string;
  /** Settings, as in a configuration file. */
  readonly config?: TenonConfig;
  /** What `loadConfig` found, in the place of `config`. */
  readonly loaded?: LoadedConfig;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly ToolLike[];
  /** Extensions that are there from the start. */
  readonly extensions?: readonly Extension[];
  /** `false`: start without the built-in tools. @default true */
  readonly builtIns?: boolean;
  /** How a person is reached. @default nobody is there */
  readonly interact?: InteractBackend | InteractCallbacks;
  /** Keep more records of calls. */
  readonly recorders?: readonly Recorder[];
  /** Where log records go. @default nowhere */
  readonly log?: LogSink;
  /** Make OpenTelemetry spans of calls. @default what the configuration says */
  readonly telemetry?: boolean | TelemetryOptions;
  /** When a tool counts as ill and how it comes back. */
  readonly health?: {
    readonly criticalErrors?: number;
    readonly probeAfterMs?: number;
    readonly initTimeoutMs?: number;
  };
  /** How deep and large arguments may be. */
  readonly argumentLimits?: Partial<PlainLimits>;
  /** Text for the model is cut in the middle beyond this many characters. @default 100000 */
  readonly maxTextChars?: number;
  /** How long a stopped tool that goes on keeps its locks. @default 5000 */
  readonly cancelGraceMs?: number;
  /** `false`: background jobs are refused, because this process ends with its call. @default true */
  readonly jobs?: boolean;
  /** Who acts where a person undoes changes or changes rules through this Tenon. @default { via: "library" } */
  readonly actor?: Actor;
  /** @default the machine's */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: () => number;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the user's home folder */
  readonly home?: string;
}

/**
 * Build a Tenon. It holds no resource until the first call; `close` frees all.
 *
 * @example
 * const tenon = createTenon({ workspace: ".", tools: [greet] });
 * const answer = await tenon.call({ name: "greet", arguments: { who: "Ada" } });
 */
export function createTenon(given: TenonOptions = {}): Tenon {
  const clock = given.clock ?? systemClock;
  const { config, rules, env, workspace, stateDir } = openOptions(given);
  const log = logSinkOf(given.log, config);
  const options = log === undefined ? given : { ...given, log };
  const events = new EventBus({ now: clock.now });
  const metrics = new Metrics({ monotonic: clock.monotonic, hostUse });
  const registry = new ToolRegistry({
    clock,
    emit: (name, payload) => {
      if (events.has(name)) events.emit(name, payload);
    },
    callStats: () => metrics.callStats(),
    toLLMTools: (tools, format) => toLLMTools(tools, format as LLMFormat).tools,
    toolsets: config.toolsets as Readonly<Record<string, ToolsetDefinition>>,
    ...(options.health !== undefined && { health: options.health }),
  });
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isSecretName(name)) redactor.addKnown(value);
  if (config.tools.webSearch?.apiKey !== undefined) redactor.addKnown(config.tools.webSearch.apiKey);
  for (const secret of databaseSecrets(config.database)) redactor.addKnown(secret);
  const ids = createCallIds();
  const { newId } = ids;
  const tasks = new Tasks();
  const state = createLazyState({
    stateDir,
    workspace,
    database: config.database,
    limits: config.state,
    answerLimits: {
      maxAgeMs: config.idempotency.maxAgeHours * 3_600_000,
      maxKeys: config.idempotency.maxKeys,
    },
    onWarning: (message) => options.log?.({ level: "warn", time: clock.now(), message }),
  });
  const policy = createRuntimePolicy({ config, rules, workspace, state });
  const world = createWorld({
    options,
    config,
    rules,
    workspace,
    stateDir,
    env,
    state,
    policy: policy.policy,
    clock,
    redact: redactor.redact,
    events,
    newId,
  });
  const scheduler = new Scheduler({
    maxConcurrent: config.tools.maxConcurrent,
    maxQueued: config.tools.maxQueued,
    monotonic: clock.monotonic,
  });
  const desk = new ApprovalDesk({
    state,
    now: clock.now,
    ownReach: () => world.backend?.reach?.(),
    onFault: (message) => events.emit("LISTENER_FAILED", { event: "approvals", message }),
  });
  const sessions = new NamedSessions(state, policy.policy);
  const running = new RunningCalls();
  const seen = createSeenBySessions({
    canonical: world.ports.canonicalPath,
    state,
    onWork: (work) => running.addChore(work),
    onWarning: (message) => options.log?.({ level: "warn", time: clock.now(), message }),
  });
  const lifetime = { closed: false };
  const extensions = createExtensions({ registry, events });
  const audit = createRuntimeAudit({
    config,
    stateDir,
    workspace,
    clock,
    redact: redactor.redact,
    events,
    isQuiet: () => running.isQuiet,
    state,
  });
  const results = new Results(running, audit.log);
  const background = options.jobs !== false;
  const random = options.random ?? Math.random;
  const { redact } = redactor;
  // What most parts stand on; each takes what it needs.
  const deps = { config, options, rules, env, workspace, stateDir, state, registry, events, clock, redact };
  const mcp = createMcpServers({ ...deps, random, redactor, background });
  const plugins = new Plugins({ ...deps, extensions, now: clock.now });
  logCalls({ config, sink: log, events, redact: redactor.redact });
  const telemetry = startTelemetry({ config, wanted: options.telemetry, events, registry });
  const spine: SpineParts = {
    registry,
    search: createToolSearch(registry),
    policy: policy.policy,
    approvals: createApprovals({
      channelsFor: (session) =>
        consentChannels(session, { configured: config.approvals.channels, backend: world.backend }),
      desk,
      timeoutMs: config.approvals.timeoutMs,
      pageTimeoutMs: config.approvals.pageTimeoutMs,
      remember: policy.remember,
      rememberForSession: (sessionId, rule) => sessions.addRule(sessionId, rule),
    }),
    quotas: config.tools.quotas.length === 0 ? undefined : createQuotas(config.tools.quotas, clock),
    hooks: extensions.hooks,
    ...createOutputParts(config, clock),
    scheduler,
    deadlines: new DeadlineWheel({ monotonic: clock.monotonic }),
    events,
    keys: createAnswerKeys({
      store: async () => (await state.open()).answers,
      log: config.audit.enabled ? audit.log : undefined,
      clock,
      redact,
    }),
    recorders: [tasks, results, ...audit.recorders, ...telemetry, ...(options.recorders ?? [])],
    refuseChanges: audit.refuseChanges,
    world: world.ports,
    clock,
    plainLimits: { ...defaultPlainLimits, ...options.argumentLimits },
    random,
    newId,
    takeId: ids.take,
    redact: redactor.redact,
    settings: createToolSettings(config, metrics),
    maxTextChars: options.maxTextChars ?? 100_000,
    chore: (work) => running.addChore(work),
    cancelGraceMs: options.cancelGraceMs ?? 5000,
    isClosed: () => lifetime.closed,
    inFlight: running,
    ...((mcp.configured || config.plugins.length > 0) && {
      awaitTool: awaitEither(plugins, mcp.configured ? mcp : undefined),
    }),
    run: (request, origin) => runCall(request, origin, spine),
  };
  if (options.builtIns !== false) registry.registerMany(createBuiltInTools());
  if (options.tools !== undefined) registry.registerMany(options.tools);
  registry.registerMany(chainTools(config.chains));
  for (const [name, own] of Object.entries(config.tools.perTool)) {
    if (own.enabled === false && registry.has(name)) registry.disable(name, "the configuration says so");
  }
  for (const extension of options.extensions ?? []) extensions.use(extension);
  const acts = createActs({
    actor: options.actor ?? { via: "library" },
    recorders: audit.recorders,
    newId,
    clock,
    redact,
  });
  const replay = createReplay({ ...deps, audit: audit.log });
  const runtime = new TenonRuntime({
    plugins,
    audit,
    extensions,
    config,
    env,
    spine,
    metrics,
    state,
    policy,
    desk,
    nameClient: createNameClient(config, rules),
    world,
    sessions,
    seen,
    running,
    redactor,
    mcp,
    lifetime,
  });
  return Object.assign(
    runtime,
    { newCallId: ids.reserve, result: results.get.bind(results) },
    taskMethods({ tasks, log: audit.log }),
    ruleMethods({ policy, acts }),
    pluginMethods(plugins),
    undoMethods({ journal: world.journal, acts, replay, quarantine: world.quarantine }),
  );
}

function hostUse(): { memoryBytes: number; cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { memoryBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
}
