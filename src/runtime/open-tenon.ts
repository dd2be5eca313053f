import { createOptimiser } from "../record/optimiser.js";
import type { RuntimeParts } from "./build-spine.js";
import { createOptimiserOptions } from "./catalogue/optimiser-options.js";
import { reportTools } from "./catalogue/tool-report.js";
import { createAuditedAccess } from "./audit/audited-access.js";
import { createUndo } from "./journal/create-undo.js";
import { createPersonJobs } from "./sessions/person-jobs.js";
import { createSessions } from "./sessions/create-sessions.js";
import { readTask } from "./tasks/read-task.js";
import { reflect } from "./tasks/reflect.js";
import type { TenonOptions } from "./tenon-options.js";
import type { PathCheckOptions, Tenon } from "./tenon.js";
import { messageOf } from "../contract/message-of.js";
import type { PathVerdict } from "../contract/ports/files.js";
import type { Recorder } from "../contract/ports/recorder.js";
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
    mcp,
    audit: audit.log,
    approvals: parts.desk,
    policy: parts.policy,
    paths: { check: (path, how) => checkPath(world, path, how) },
    get work() {
      return world.work.person;
    },
    get guardKind() {
      return world.guardKind();
    },
    sandboxFacts: world.sandboxFacts,
    jobs: createPersonJobs(() => world.allJobs(), parts.recordAction),
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
    ...catalogueMethods(parts),
    ...recordMethods(parts),
    replay: async (taskId, options) => {
      const { replayTask } = await import("./replay/replay-task.js");
      return replayTask({ ...parts, audit: audit.log, createTenon }, taskId, options);
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
      return reportTools({ log: audit.log, settings: optimiserOptions.current, experiment }, query);
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

/** What a person reads of the records and changes in them; each change is recorded like a call. */
function recordMethods(parts: RuntimeParts) {
  const { remembered, recordAction, state } = parts;
  const taskSources = { tasks: parts.tasks, log: parts.audit.log };
  return {
    remember: (rule) =>
      recordAction({ name: "policy_remember", arguments: rule, run: () => remembered.remember(rule) }),
    revoke: (id) =>
      recordAction({ name: "policy_revoke", arguments: { id }, run: () => remembered.revoke(id) }),
    syncRules: () => remembered.sync(),
    sessionRules: () => remembered.sessionRules(),
    access: createAuditedAccess(state, recordAction),
    ...createUndo({ ...parts.world, recordAction }),
    task: (taskId) => readTask(taskId, taskSources),
    reflect: async (taskId, options) =>
      reflect((await readTask(taskId, taskSources)) ?? { actionsDone: [] }, options),
    async checkState() {
      const opened = await state.open();
      const dir = opened.sql.dialect === "sqlite" ? opened.dir : `${opened.name}, contents in ${opened.dir}`;
      return { ...(await opened.integrity()), dir, damaged: opened.damaged() };
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
