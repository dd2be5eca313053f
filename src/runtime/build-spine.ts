import { createApprovals, type Approvals } from "../call/approve.js";
import { consentChannels } from "../call/consent-channels.js";
import type { SpineParts } from "../call/parts.js";
import type { AnswerKeys } from "../call/repeat.js";
import { runCall } from "../call/run-call.js";
import { createQuotas, type QuotaRule, type Quotas } from "../registry/quotas.js";
import type { ToolRegistry } from "../registry/tool-registry.js";
import { ToolSearch } from "../registry/tool-search.js";
import { DeadlineWheel } from "../scheduler/deadline-wheel.js";
import { Scheduler } from "../scheduler/scheduler.js";
import { defaultPlainLimits } from "../schema/take-plain.js";
import type { CatalogueParts } from "./build-catalogue.js";
import { createAnswerKeys } from "./calls/answer-keys.js";
import { createOutputOptions } from "./calls/output-options.js";
import { Results } from "./calls/results.js";
import { createToolSettings } from "./catalogue/tool-settings.js";
import { startTelemetry } from "./log/telemetry.js";
import { Tasks } from "./tasks/tasks.js";

/** The fourth builder: the path of a call, with everything that its stages use. */
export function buildSpine(parts: CatalogueParts) {
  const { options, config, clock, events, registry, policy, audit, running, ids, redact, random } = parts;
  const tasks = new Tasks();
  const results = new Results({ running, log: audit.log, tasks });
  const telemetry = startTelemetry({ config, wanted: options.telemetry, events, registry });
  const lifetime = { closed: false };
  const spine: SpineParts = {
    registry,
    search: createSearch(registry),
    policy,
    approvals: createConsent(parts),
    askAfter: config.shell.askAfter && config.sandbox.layers.enabled,
    hooks: parts.extensions.hooks,
    ...createLimits(parts),
    events,
    keys: createKeys(parts),
    recorders: [results, ...audit.recorders, ...telemetry, ...(options.recorders ?? [])],
    refuseChanges: audit.refuseChanges,
    world: parts.world.ports,
    clock,
    random,
    newId: ids.newId,
    takeId: ids.take,
    redact,
    settings: createToolSettings(config, parts.metrics),
    chore: (work) => running.addChore(work),
    lifetime,
    inFlight: running,
    ...awaitLoadingTools(parts),
    run: (request, origin) => runCall(request, origin, spine),
  };
  return { ...parts, tasks, results, lifetime, spine };
}

/** Everything that `createTenon` has put together. */
export type RuntimeParts = ReturnType<typeof buildSpine>;

/** A search over all tools; which of them are visible is decided per query. */
function createSearch(registry: ToolRegistry): ToolSearch {
  return new ToolSearch({
    get generation() {
      return registry.generation;
    },
    entries: () => registry.list().flatMap(({ name }) => registry.entry(name) ?? []),
  });
}

function createConsent({ config, world, desk, remembered, sessions }: CatalogueParts): Approvals {
  const { channels: configured, timeoutMs, pageTimeoutMs } = config.approvals;
  return createApprovals({
    channelsFor: (session) => consentChannels(session, { configured, backend: world.backend }),
    desk,
    timeoutMs,
    pageTimeoutMs,
    remember: remembered.remember,
    rememberForSession: (sessionId, rule) => sessions.addRule(sessionId, rule),
  });
}

function createKeys({ config, state, audit, clock, redact }: CatalogueParts): AnswerKeys {
  const log = config.audit.enabled ? audit.log : undefined;
  return createAnswerKeys({ store: async () => (await state.open()).answers, log, clock, redact });
}

function createLimits({ options, config, clock }: CatalogueParts) {
  const { maxConcurrent, maxQueued, quotas } = config.tools;
  const { monotonic } = clock;
  return {
    ...createOutputOptions(config, clock),
    quotas: createLimitsOnCalls(quotas, { config, clock }),
    scheduler: new Scheduler({ maxConcurrent, maxQueued, monotonic }),
    deadlines: new DeadlineWheel({ monotonic }),
    plainLimits: { ...defaultPlainLimits, ...options.argumentLimits },
    maxTextChars: options.maxTextChars ?? 100_000,
    cancelGraceMs: options.cancelGraceMs ?? 5000,
  };
}

/** The quotas of the configuration, and the limits of its endpoints. */
function createLimitsOnCalls(
  quotas: readonly QuotaRule[],
  { config, clock }: Pick<CatalogueParts, "config" | "clock">,
): Quotas | undefined {
  const endpoints = Object.entries(config.endpoints).flatMap(([endpoint, { limits }]) => {
    const isLimited = limits !== undefined && Object.values(limits).some((limit) => limit !== undefined);
    return isLimited ? [{ ...limits, endpoint }] : [];
  });
  const all = [...quotas, ...endpoints];
  return all.length === 0 ? undefined : createQuotas(all, clock);
}

/** Waits for a tool that is still loading, whether a plugin or an MCP server brings it. */
function awaitLoadingTools({ config, plugins, mcp }: CatalogueParts): Pick<SpineParts, "awaitTool"> {
  const hasPlugins = config.plugins.length > 0;
  return {
    awaitTool: (name, origin) => {
      const loading = hasPlugins ? plugins.awaited(name) : undefined;
      // Only the tools of servers have a colon in their names, and the mark in its place in those that hosts see.
      if (!name.includes(":") && !name.includes("__")) return loading;
      return loading === undefined
        ? mcp.awaitTool(name, origin)
        : loading.then(() => mcp.awaitTool(name, origin));
    },
  };
}
