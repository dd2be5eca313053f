import type { RuntimeBase } from "../state/runtime-base.js";
import type { ChangeOrigin } from "../../contract/ports/journal.js";
import type { CommitReport, LayerView, WaitingLayer, WaitingLayers } from "../../contract/ports/layers.js";
import type { CallScope } from "../../contract/session.js";
import { visibleSessions } from "../../contract/ownership.js";
import { ToolError, ToolResourceNotFoundError } from "../../contract/errors.js";
import { carefulPathGlobs, protectedPathGlobs } from "../../policy/built-in-rules.js";
import type { Journal } from "../../world/journal/journal.js";
import type {
  CommandLayer,
  CommitLayer,
  ExpectLayer,
  KeptLayer,
  LayerRun,
  LayerStore,
} from "../../world/sandbox/layer/layer-types.js";
import { createNameScreen } from "../../world/sandbox/guarded-names.js";
import type { CommitDeps, CommitRequest } from "../../world/transaction/commit-layer.js";
import { createEarlyCommits } from "../../world/transaction/early-commits.js";
import type { LayerRules } from "../../world/transaction/name-verdict.js";
import { openedByPerson, type Guards } from "./guards.js";

export interface TransactionOptions extends Pick<RuntimeBase, "config" | "rules" | "stateDir"> {
  readonly guards: Guards;
  readonly journal: Journal;
  readonly layers: LayerStore;
  readonly openFiles: () => Promise<ReadonlySet<string>>;
  /** Called with absolute paths that commands changed. */
  readonly onCommitted: (paths: readonly string[]) => void;
}

/** Who decides about changes that wait. */
export interface LayerDecider {
  /** The call that decides, for the journal. */
  readonly origin: ChangeOrigin;
  readonly scope?: CallScope | undefined;
}

/** Commits the changes of commands. */
export interface Transactions {
  readonly commit: CommitLayer;
  readonly expect: ExpectLayer;
  /** The layers that wait, for a call or a person. */
  waiting(decider: () => LayerDecider): WaitingLayers;
}

/** Connect the layers of commands with the journal and the rules. */
export function createTransactions(options: TransactionOptions): Transactions {
  const { layers } = options;
  /** By tool: compiling the patterns takes longer than judging the changes of most commands. */
  const screens = new Map<string | undefined, Pick<LayerRules, "screen" | "screened">>();
  const screenFor = (tool: string | undefined): Pick<LayerRules, "screen" | "screened"> => {
    const screened = screenedGlobs(options, tool);
    return { screened, screen: createNameScreen(screened) };
  };
  const rulesFor = (scope: CallScope | undefined): LayerRules => {
    const tool = scope?.toolName;
    const screen = screens.get(tool) ?? screenFor(tool);
    screens.set(tool, screen);
    return { ...layerRules(options, scope), ...screen };
  };
  const early = createEarlyCommits();
  return {
    expect(layer, { scope, dryRun }) {
      if (dryRun || scope.askAfter !== undefined) return;
      early.begin(layer, {
        signal: scope.signal,
        commit: (own, ready) => commitAs(options, own, { rules: rulesFor(scope), ...partsOf(scope), ready }),
      });
    },
    async commit(layer, run) {
      const { signal } = run.scope;
      const isCertain = run.isQuiet && withheld(run) === undefined;
      try {
        const begun = await early.end(layer, isCertain);
        const commit = begun ?? (await commitRun(options, layer, { run, rules: rulesFor(run.scope) }));
        return { commit, ...(commit.warnings !== undefined && { warnings: commit.warnings }) };
      } catch (error) {
        if (error instanceof NoConsent) throw error.cause;
        const { giveUpChanges } = await import("../../world/transaction/give-up-changes.js");
        const given = await giveUpChanges(layer, error);
        signal.throwIfAborted();
        return given;
      }
    },
    waiting: (decider) => ({
      list: async (filter) => (await visibleLayers(layers, decider().scope, filter)).map(toWaiting),
      async show(id, paths) {
        const kept = await find(layers, id, decider().scope);
        const { showLayer } = await import("../../world/transaction/show-layer.js");
        const found = await showLayer(await layers.open(id), rulesFor(decider().scope), paths?.map(bare));
        return { ...toWaiting(kept), ...found } satisfies LayerView;
      },
      async commit(id, paths, seenNs) {
        const { origin, scope } = decider();
        const layer = await openLayer(layers, id, scope);
        const seen = seenNs === undefined ? {} : { seenNs: BigInt(seenNs) };
        const consent = { paths: paths?.map(bare), ...seen };
        return commitAs(options, layer, {
          rules: rulesFor(scope),
          origin: { ...origin, commandCallId: layer.callId },
          consent,
          signal: scope?.signal,
        }) satisfies Promise<CommitReport>;
      },
      async discard(id, paths) {
        const layer = await openLayer(layers, id, decider().scope);
        if (paths === undefined) return layer.discard();
        const { discardPaths } = await import("../../world/transaction/discard-paths.js");
        const isLeft = await discardPaths(layer, paths.map(bare));
        return isLeft ? layer.keep("some paths were discarded") : layer.discard();
      },
    }),
  };
}

interface CommittedRun {
  readonly run: LayerRun;
  readonly rules: LayerRules;
}

/** Commit the changes of a command, unless it was stopped or consent is missing. */
async function commitRun(
  options: TransactionOptions,
  layer: CommandLayer,
  { run, rules }: CommittedRun,
): Promise<CommitReport> {
  const withhold = withheld(run);
  const isAsked = withhold === undefined && (await askAbout(layer, rules, run.scope));
  return commitAs(options, layer, {
    rules,
    ...partsOf(run.scope),
    withhold,
    ...(isAsked && { consent: { to: "asked" } }),
  });
}

/** Who commits, and what stops it. */
function partsOf(scope: CallScope): Pick<CommitRequest, "origin" | "signal"> {
  return { origin: originOf(scope), signal: scope.signal };
}

async function commitAs(
  options: TransactionOptions,
  layer: CommandLayer,
  request: Omit<CommitRequest, "layer">,
): Promise<CommitReport> {
  const { commitLayer } = await import("../../world/transaction/commit-layer.js");
  await options.guards.names.look();
  return commitLayer(await commitDeps(options, layer), { ...request, layer });
}

/** A person declined, or nobody could be asked. */
class NoConsent extends Error {}

/** Ask about the changes of a command that ran before anyone consented; throws if a person declines. */
async function askAbout(layer: CommandLayer, rules: LayerRules, { askAfter }: CallScope): Promise<boolean> {
  if (askAfter === undefined) return false;
  const { showLayer } = await import("../../world/transaction/show-layer.js");
  const shown = await showLayer(layer, rules);
  if (shown.changes.length === 0) return false;
  try {
    await askAfter(shown);
    return true;
  } catch (error) {
    if (error instanceof ToolError && error.code === "APPROVAL_DENIED") await layer.discard();
    else await layer.keep("nobody consented to it");
    throw new NoConsent("Nobody consented to the changes.", { cause: error });
  }
}

/** Forbidden, protected and careful paths. */
function screenedGlobs({ config, stateDir }: TransactionOptions, tool: string | undefined): string[] {
  const own = tool === undefined ? undefined : config.tools.perTool[tool]?.permissions;
  return [
    stateDir,
    ...config.files.forbiddenPaths,
    ...(own?.forbiddenPaths ?? []),
    ...protectedPathGlobs,
    ...config.files.protectedPaths,
    ...carefulPathGlobs,
  ];
}

function layerRules(
  { rules, guards }: TransactionOptions,
  scope: CallScope | undefined,
): Omit<LayerRules, "screen" | "screened"> {
  const guard = scope === undefined ? guards.undo() : guards.forCall(scope.toolName, scope.session);
  return {
    workspace: guard.root,
    rules: guard.rules.withoutNames(),
    carefulGlobs: carefulPathGlobs,
    openedGlobs: openedByPerson(rules),
    paths: scope?.commandPaths?.(),
    consented: scope?.changes?.() ?? [],
    namesOf: guards.names.of,
  };
}

async function commitDeps(
  { guards, journal, openFiles, onCommitted }: TransactionOptions,
  layer: CommandLayer,
): Promise<CommitDeps> {
  const { createBulkCheck } = await import("../../world/transaction/ignored-paths.js");
  return {
    journal,
    openFiles,
    onCommitted,
    isBulk: createBulkCheck(guards.common().root),
    async wasRemoved(path) {
      const [last] = await journal.history({ path, limit: 1 });
      return last !== undefined && last.time >= layer.startedAt && last.sizeAfter === null;
    },
  };
}

/** Why nothing is committed by itself. */
function withheld({ end, overLimit, failedByLayer, dryRun }: LayerRun): string | undefined {
  if (overLimit !== undefined) return overLimit;
  // It starts from the same state when it is run again.
  if (failedByLayer) return "the command failed because it ran on a layer";
  if (dryRun) return "dry run";
  if (end === "exit") return undefined;
  return end === "timeout" ? "the command reached its time limit" : "the command was stopped";
}

/** The call, as the journal records it. */
export function originOf({ callId, session, toolName, taskId }: CallScope): ChangeOrigin {
  return { callId, sessionId: session.id, tool: toolName, ...(taskId !== undefined && { taskId }) };
}

/** A folder may be named with a slash at the end, as it is shown. */
function bare(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function toWaiting({ size, ...layer }: KeptLayer): WaitingLayer {
  return { ...layer, ...size };
}

type LayerFilter = Parameters<LayerStore["list"]>[0];

/** A call sees the layers of its own principal, a person all. */
async function visibleLayers(
  layers: LayerStore,
  scope: CallScope | undefined,
  filter?: LayerFilter,
): Promise<readonly KeptLayer[]> {
  const kept = await layers.list(filter);
  const sees = scope === undefined ? undefined : visibleSessions(scope.session);
  return sees === undefined ? kept : kept.filter(({ sessionId }) => sees(sessionId));
}

async function openLayer(
  layers: LayerStore,
  id: string,
  scope: CallScope | undefined,
): Promise<CommandLayer> {
  const layer = await layers.open(id);
  const sees = scope === undefined ? undefined : visibleSessions(scope.session);
  if (sees !== undefined && !sees(layer.sessionId)) throw layerNotFound(id);
  return layer;
}

async function find(layers: LayerStore, id: string, scope: CallScope | undefined): Promise<KeptLayer> {
  const found = (await visibleLayers(layers, scope)).find((each) => each.id === id);
  if (found !== undefined) return found;
  throw layerNotFound(id);
}

function layerNotFound(id: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`The changes "${id.slice(0, 64)}" were not found.`, {
    hint: "They may have been committed, discarded or removed because of their age. Run `tenon layers list` to see what waits.",
  });
}
