import { createApprovals } from "../call/approve.js";
import { consentChannels } from "../call/consent-channels.js";
import type { SpineParts } from "../call/parts.js";
import { runCall } from "../call/run-call.js";
import { toLLMTools, type LLMFormat } from "../llm/to-llm-tools.js";
import { EventBus } from "../record/event-bus.js";
import { Metrics } from "../record/metrics.js";
import { createQuotas } from "../registry/quotas.js";
import type { ToolsetDefinition } from "../registry/toolsets.js";
import { ToolRegistry } from "../registry/tool-registry.js";
import { DeadlineWheel } from "../scheduler/deadline-wheel.js";
import { Scheduler } from "../scheduler/scheduler.js";
import { defaultPlainLimits } from "../schema/take-plain.js";
import { createRedactor } from "../world/secrets/redactor.js";
import { isSecretName } from "../world/secrets/secret-names.js";
import { createActs } from "./audit/audited-action.js";
import { createAnswerKeys } from "./calls/answer-keys.js";
import { ApprovalDesk } from "./approvals/approval-desk.js";
import { createRuntimeAudit } from "./audit/runtime-audit.js";
import { createBuiltInTools } from "./catalogue/built-in-tools.js";
import { createCallIds } from "./calls/call-ids.js";
import { logCalls, logSinkOf } from "./log/call-log.js";
import { chainTools } from "./catalogue/chains.js";
import { createNameClient } from "./sessions/client-agent.js";
import { createExtensions } from "./catalogue/extensions.js";
import { databaseSecrets } from "./state/database-secrets.js";
import { createLazyState } from "./state/lazy-state.js";
import { createMcpServers, type RuntimeServers } from "./gateway/runtime-servers.js";
import { NamedSessions } from "./sessions/named-sessions.js";
import { openOptions } from "./options.js";
import { createOutputParts } from "./calls/output-parts.js";
import type { ReplayDeps } from "./replay/replay-task.js";
import { RunningCalls } from "./calls/running-calls.js";
import { Results } from "./calls/results.js";
import { ruleMethods } from "./approvals/rule-methods.js";
import { createSeenBySessions } from "./state/seen-by-sessions.js";
import { createRuntimePolicy } from "./approvals/runtime-policy.js";
import { pluginMethods } from "./plugins/plugin-methods.js";
import { Plugins } from "./plugins/plugins.js";
import { systemClock } from "./world/system-clock.js";
import { taskMethods } from "./tasks/task-methods.js";
import { Tasks } from "./tasks/tasks.js";
import { startTelemetry } from "./log/telemetry.js";
import type { TenonOptions } from "./tenon-options.js";
import type { Tenon } from "./tenon.js";
import { createToolSearch } from "./catalogue/tool-search.js";
import { createToolSettings } from "./catalogue/tool-settings.js";
import { TenonRuntime } from "./tenon-runtime.js";
import { undoMethods } from "./journal/undo-methods.js";
import { createWorld } from "./world/create-world.js";

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
    if (own.enabled === false && registry.has(name)) registry.disable(name, "disabled in the configuration");
  }
  for (const extension of options.extensions ?? []) extensions.use(extension);
  const acts = createActs({
    actor: options.actor ?? { via: "library" },
    recorders: audit.recorders,
    newId,
    clock,
    redact,
  });
  const replayDeps: ReplayDeps = { ...deps, audit: audit.log, createTenon };
  const replay: Tenon["replay"] = async (taskId, replayOptions) =>
    (await import("./replay/replay-task.js")).replayTask(replayDeps, taskId, replayOptions);
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

/** Waits for a tool that is still loading, whether a plugin or an MCP server brings it. */
function awaitEither(
  plugins: Plugins,
  servers: Pick<RuntimeServers, "awaitTool"> | undefined,
): NonNullable<SpineParts["awaitTool"]> {
  return (name, toolset) => {
    const coming = plugins.awaited(name);
    if (coming === undefined) return servers?.awaitTool(name, toolset);
    return coming.then(() => servers?.awaitTool(name, toolset));
  };
}

function hostUse(): { memoryBytes: number; cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { memoryBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
}
