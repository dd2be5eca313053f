import { createOptimiser } from "../record/optimiser.js";
import type { RuntimeParts } from "./build-spine.js";
import { createOptimiserOptions } from "./catalogue/optimiser-options.js";
import { createDefinitionTokens } from "./catalogue/definition-tokens.js";
import { reportTools } from "./catalogue/tool-report.js";
import { createAuditedAccess } from "./audit/audited-access.js";
import type { RecordAction } from "./audit/audited-action.js";
import { createAuditedSecrets } from "./secrets/audited-secrets.js";
import { createUndo } from "./journal/create-undo.js";
import { createPersonJobs } from "./sessions/person-jobs.js";
import { createSessions } from "./sessions/create-sessions.js";
import { readTask } from "./tasks/read-task.js";
import { reflect } from "./tasks/reflect.js";
import type { TenonOptions } from "./tenon-options.js";
import type { PathCheckOptions, PersonActs, Tenon } from "./tenon.js";
import { messageOf } from "../contract/message-of.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type { Recorder } from "../contract/ports/recorder.js";
import { withCheckedOptions } from "./gateway/check-server-options.js";
import { checkKeys } from "../schema/check-keys.js";

/** Give the wired parts the shape of a Tenon; the type of each method comes from that interface. */
export function openTenon(parts: RuntimeParts, createTenon: (options: TenonOptions) => Tenon): Tenon {
  const { config, running, spine, world, state, mcp, audit } = parts;
  if (state.exists() || mcp.configured || audit.hasUnsettled()) running.startWith(() => start(parts));
  const sessions = createSessions({ ...parts, endServers: (id) => parts.mcp.endSession(id) });
  const { call, callMany, stream, validate, prompt } = sessions.createSession();
  let closing: Promise<void> | undefined;
  return {
    config,
    mcp: withCheckedOptions(mcp),
    audit: audit.log,
    approvals: parts.desk,
    policy: parts.policy,
    paths: { check: (path, how) => checkPath(world, path, how) },
    get work() {
      return world.work.person;
    },
    workOf: (principal) => world.work.personAs(principal),
    get guardKind() {
      return world.guardKind();
    },
    sandboxFacts: world.sandboxFacts,
    connections: () => world.connections(),
    call,
    callMany,
    stream,
    validate,
    prompt,
    ...sessions,
    newCallId: parts.ids.reserve,
    async result(callId, options) {
      checkKeys(options, { principal: true }, "result");
      return parts.results.get(callId, options);
    },
    cancel: (callId, reason) => running.cancel(callId, reason),
    callerGone: (callId) => running.callerGone(callId),
    on: (name, listener) => spine.events.on(name, listener),
    onAny: (listener) => spine.events.onAny(listener),
    stats: () => spine.scheduler.stats(),
    limits: spine.quotas ?? { uses: () => [], tightest: () => undefined },
    ...catalogueMethods(parts),
    ...actsOf(parts, parts.recordAction),
    as: (actor) => {
      checkKeys(actor, { via: true, userId: true, principal: true }, "as");
      return actsOf(parts, parts.recordActionAs(actor));
    },
    ...recordMethods(parts),
    replay: async (taskId, options) => {
      const { replayTask } = await import("./replay/replay-task.js");
      return replayTask({ ...parts, audit: audit.log, createTenon }, taskId, options);
    },
    simulate: async (options) => {
      const { simulateRules } = await import("./replay/simulate-rules.js");
      const { registry, policy } = spine;
      return simulateRules(
        { registry, policy, audit: audit.log, createSession: sessions.createSession },
        options,
      );
    },
    async ready() {
      const fault = await running.starting;
      if (fault !== undefined) throw fault;
      await parts.plugins.start();
    },
    async close(options = {}) {
      checkKeys(options, { graceMs: true }, "close");
      return (closing ??= closeTenon(parts, options.graceMs ?? 30_000));
    },
  };
}

function checkPath(
  { checkPath: check, checkText }: RuntimeParts["world"],
  path: string,
  how: "read" | "write" | PathCheckOptions = {},
): PathVerdict {
  if (typeof how === "string") return check(path, how);
  checkKeys(how, { access: true, links: true }, "paths.check");
  return (how.links === false ? checkText : check)(path, how.access);
}

/** Recovers what an earlier run left behind, before the first call. */
async function start({ state, remembered, world, audit, mcp }: RuntimeParts): Promise<void> {
  if (state.exists()) {
    await remembered.load();
    await world.journal.recover();
    await world.work.refresh();
  }
  await audit.settle();
  if (mcp.configured) await mcp.load();
}

function catalogueMethods(parts: RuntimeParts) {
  const { registry, metrics, extensions, plugins, audit } = parts;
  const optimiserOptions = createOptimiserOptions(parts);
  return {
    registry,
    metrics,
    optimiser: createOptimiser(optimiserOptions),
    register: (tool) => registry.register(tool),
    health: (name) => registry.health(name),
    async toolReport(query) {
      checkKeys(query, { since: true, tool: true }, "toolReport");
      const experiment = (name: string) => registry.versions(name).split;
      const sources = { log: audit.log, settings: optimiserOptions.current, experiment };
      return reportTools({ ...sources, definitionTokens: createDefinitionTokens(registry) }, query);
    },
    use: (extension, config) => extensions.use(extension, config),
    registerExtension: (extension, config) => extensions.use(extension, config),
    extensions: () => extensions.list(),
    loadPlugin: (path, options) => plugins.load(path, options),
    tryPlugin: (path, options) => plugins.tryInSandbox(path, options),
    unloadPlugin: (name) => plugins.unload(name),
    reloadPlugin: (name) => plugins.reload(name),
    plugins: () => plugins.list(),
  } satisfies Partial<Tenon>;
}

/** What a person does without calling a tool; each act is recorded like a call. */
function actsOf(parts: RuntimeParts, recordAction: RecordAction): PersonActs {
  const { config, remembered, state, secretKeys, redactor, world } = parts;
  return {
    remember: (rule) =>
      recordAction({ name: "policy_remember", arguments: rule, run: () => remembered.remember(rule) }),
    revoke: (id) =>
      recordAction({ name: "policy_revoke", arguments: { id }, run: () => remembered.revoke(id) }),
    access: createAuditedAccess(state, recordAction),
    secrets: createAuditedSecrets({
      config,
      state,
      keys: secretKeys,
      recordAction,
      onSecret: redactor.addKnown,
    }),
    ...createUndo({ ...world, recordAction }),
    jobs: createPersonJobs(() => world.allJobs(), recordAction),
  };
}

/** What a person reads of the records. */
function recordMethods(parts: RuntimeParts) {
  const { remembered, state } = parts;
  const taskSources = { tasks: parts.tasks, log: parts.audit.log };
  return {
    syncRules: () => remembered.sync(),
    sessionRules: () => remembered.sessionRules(),
    task: (taskId) => readTask(taskId, taskSources),
    reflect: async (taskId, options) =>
      reflect((await readTask(taskId, taskSources)) ?? { actionsDone: [] }, options),
    async checkState() {
      const opened = await state.open();
      const dir = opened.sql.dialect === "sqlite" ? opened.dir : `${opened.name}, contents in ${opened.dir}`;
      const lost = await opened.lostTimes();
      return { ...(await opened.integrity()), dir, damaged: opened.damaged(), lost };
    },
  } satisfies Partial<Tenon>;
}

/** Refuse new calls, wait for running ones and release everything, in order. */
async function closeTenon(parts: RuntimeParts, graceMs: number): Promise<void> {
  const { running, spine } = parts;
  parts.lifetime.closed = true;
  const steps: readonly (() => unknown)[] = [
    () => running.end(graceMs),
    () => parts.desk.stop(),
    () => Promise.all([parts.mcp.close(), parts.plugins.close()]),
    () => parts.registry.close(),
    () => parts.world.close(),
    ...spine.recorders.map((recorder) => () => closeRecorder(recorder, parts)),
    () => parts.audit.close(),
    () => parts.state.close(),
    () => spine.deadlines.close(),
  ];
  // A step that fails must not keep the rest open; the first fault is thrown at the end.
  let fault: unknown;
  for (const release of steps) {
    try {
      await release();
    } catch (thrown) {
      fault ??= thrown;
    }
  }
  if ((fault ??= running.fault) !== undefined) throw fault;
}

async function closeRecorder(recorder: Recorder, { events }: RuntimeParts): Promise<void> {
  try {
    await recorder.close?.();
  } catch (cause) {
    events.emit("LISTENER_FAILED", { event: `close:${recorder.name}`, message: messageOf(cause) });
  }
}
