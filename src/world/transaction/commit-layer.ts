import type { ChangeOrigin } from "../../contract/ports/journal.js";
import type { CommandConflict, CommitReport, HeldChange } from "../../contract/ports/layers.js";
import { messageOf } from "../../contract/message-of.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { isWithin } from "../files/path-text.js";
import { drain } from "../files/drain.js";
import { createPause } from "../files/pause.js";
import type { Journal } from "../journal/journal.js";
import type { Adoption } from "../journal/plan-adoptions.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import { pathBelow } from "../sandbox/layer/layer-path.js";
import type { CommandLayer, EntryState, LayerChange, LayerPath } from "../sandbox/layer/layer-types.js";
import { describeChanges, type DescribedChanges } from "./describe-changes.js";
import { createConflictSearch, type ConflictDeps, type FindConflict } from "./find-conflicts.js";
import { heldChanges, judgeLayer, separate, type Hold, type JudgedChange } from "./judge-layer.js";
import { noteOnLinks } from "./link-notes.js";
import type { LayerRules } from "./name-verdict.js";
import { createSeenContents, type SeenContents } from "./seen-contents.js";
import { openLayerTexts } from "./text-at.js";
import { toAdoptions } from "./to-adoptions.js";

export interface CommitDeps extends Omit<ConflictDeps, "layer" | "openFiles"> {
  readonly journal: Pick<Journal, "adopt">;
  readonly openFiles: () => Promise<ReadonlySet<string>>;
  /** Whether a path can be created again: installed packages and other ignored files. */
  readonly isBulk: (path: string, isFolder: boolean) => boolean;
  /** Called with the absolute paths that were changed. */
  readonly onCommitted: (paths: readonly string[]) => void;
}

export interface CommitRequest {
  readonly layer: CommandLayer;
  readonly rules: LayerRules;
  readonly origin: ChangeOrigin;
  /** Why nothing is committed by itself, in words: the command was stopped, or its changes shall be seen first. */
  readonly withhold?: string | undefined;
  /** A person consented to changes that would be held back or that conflict; only these are committed. */
  readonly consent?: Consent | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Waited for before anything takes effect; if it throws, nothing does. Can be called again. */
  readonly ready?: (() => Promise<void>) | undefined;
}

/** What a person consented to. */
export interface Consent {
  /**
   * `asked`: to what a command would commit by itself and to what needs consent; other changes that are held back stay
   * so, and so do conflicts. @default "all"
   */
  readonly to?: "all" | "asked" | undefined;
  /** With everything below. @default all changes of the layer */
  readonly paths?: readonly string[] | undefined;
  /** When the person looked, by the clock of the file system: what others changed later is a conflict. @default now */
  readonly seenNs?: bigint | undefined;
}

/** Commit what the rules allow of a layer; the rest stays in it, for a decision. */
export async function commitLayer(deps: CommitDeps, request: CommitRequest): Promise<CommitReport> {
  const { layer, withhold, ready } = request;
  const seen = createSeenContents();
  await separate(layer, request.consent?.paths ?? []);
  const judged = await judgeLayer(layer, request.rules);
  const files = new Map(judged.filter((each) => each.files > 0).map((each) => [each.change, each.files]));
  const changes = judged.map(({ change }) => change);
  const described = await describeChanges(layer, changes, {
    filesIn: (change) => files.get(change) ?? 0,
    inDiff: (path) => !isGitData.test(path),
    seen,
  });
  if (judged.length === 0) {
    await ready?.();
    const { warnings } = await closeLayer(request, { heldBack: [], conflicts: [] });
    return { ...described, ...toWarnings(warnings), committed: "all", heldBack: [], conflicts: [] };
  }
  if (withhold !== undefined) {
    await layer.keep(withhold);
    return { ...described, committed: "none", heldBack: [], conflicts: [] };
  }
  return settle(deps, request, { judged, described, seen });
}

/** Its own files say less about a command of git than what it printed. */
const isGitData = /(?:^|\/)\.git\//;

interface Judged {
  /** Emptied, like all that is made of it: a command can change hundreds of thousands of files. */
  readonly judged: JudgedChange[];
  readonly described: DescribedChanges;
  readonly seen: SeenContents;
}

async function settle(
  deps: CommitDeps,
  request: CommitRequest,
  { judged, described, seen }: Judged,
): Promise<CommitReport> {
  const { layer } = request;
  const heldBack: HeldChange[] = [];
  const wanted: JudgedChange[] = [];
  for (const each of drain(judged)) {
    const part = await permitted(layer, each, request.consent);
    heldBack.push(...heldOf(each, part));
    if (part !== undefined) wanted.push(part);
  }
  const conflicts: CommandConflict[] = [];
  const paths: string[] = [];
  const linked: LayerChange[] = [];
  const plan = async (): Promise<Adoption[]> => {
    const findConflict = createConflictSearch({ ...deps, layer, openFiles: await deps.openFiles() });
    const findLater = createLaterSearch(deps, layer, request.consent);
    const breathe = createPause();
    const found: Looked[] = [];
    for (const each of drain(wanted)) {
      await breathe();
      const { path } = each.change;
      const now = entryAt(pathBelow(layer.workspace, each.change))?.state;
      const find = overrides(path, request.consent) ? findLater : findConflict;
      const reason = await find?.(each.change, now);
      found.push({ each, now, reason });
    }
    const adoptions: Adoption[] = [];
    for (const { each, now, reason } of drain(withWholeRepositories(found))) {
      if (reason !== undefined) {
        conflicts.push(toConflict(layer, each.change, reason));
        continue;
      }
      if ((each.change.before?.links ?? 0) > 1) linked.push(each.change);
      adoptions.push(...toAdoptions(layer, each, { now, isBulk: deps.isBulk, seen }));
    }
    for (const { path } of adoptions) paths.push(path);
    return adoptions;
  };
  const { signal, ready } = request;
  if (wanted.length > 0) await deps.journal.adopt(plan, request.origin, { signal, ready });
  await ready?.();
  deps.onCommitted(paths);
  const { isAll, warnings } = await closeLayer(request, { heldBack, conflicts });
  const committed = isAll ? "all" : paths.length === 0 ? "none" : "part";
  const notes = [...noteOnLinks(linked), ...warnings];
  return { ...described, ...toWarnings(notes), committed, heldBack, conflicts };
}

function toWarnings(warnings: readonly string[]): Pick<CommitReport, "warnings"> {
  return warnings.length === 0 ? {} : { warnings };
}

interface ClosedLayer {
  /** Whether nothing of the changes is left in it. */
  readonly isAll: boolean;
  readonly warnings: readonly string[];
}

/** Remove a layer, or keep what is left in it. Whatever fails here, what was committed stays so. */
async function closeLayer(
  { layer, consent }: CommitRequest,
  { heldBack, conflicts }: Pick<CommitReport, "heldBack" | "conflicts">,
): Promise<ClosedLayer> {
  const isSettled = heldBack.length === 0 && conflicts.length === 0;
  const isWhole = consent?.paths === undefined;
  try {
    const isAll = isSettled && (isWhole || (await isEmpty(layer)));
    await (isAll ? layer.discard({ inBackground: true }) : layer.keep(reasonToKeep(heldBack, conflicts)));
    return { isAll, warnings: [] };
  } catch (error) {
    const left = isSettled ? "removed" : "kept, so that they cannot be committed later";
    const warning = `The files of the layer on which the command ran could not be ${left}: ${messageOf(error)}.`;
    return { isAll: isSettled && isWhole, warnings: [warning] };
  }
}

interface Looked {
  readonly each: JudgedChange;
  /** What is at its path in the workspace. */
  readonly now: EntryState | undefined;
  /** Why it conflicts with what others did. */
  readonly reason: string | undefined;
}

/** An index without the branch that it belongs to would undo what others committed, so a repository conflicts as a whole. */
function withWholeRepositories(found: Looked[]): Looked[] {
  const first = new Map<string, string>();
  for (const { each, reason } of found) {
    const folder = gitFolderOf(each.change.path);
    if (folder !== undefined && reason !== undefined && !first.has(folder))
      first.set(folder, each.change.path);
  }
  if (first.size === 0) return found;
  return found.map((looked) => {
    const path = first.get(gitFolderOf(looked.each.change.path) ?? "");
    if (path === undefined || looked.reason !== undefined) return looked;
    return { ...looked, reason: `it belongs to ${path}, which somebody else changed meanwhile` };
  });
}

/** The outermost git folder that a path is in. */
function gitFolderOf(path: string): string | undefined {
  return /^(?:.*?\/)?\.git(?=\/)/i.exec(path)?.[0];
}

/** A person may have committed only some paths of it. */
async function isEmpty(layer: CommandLayer): Promise<boolean> {
  for await (const _ of layer.changes()) return false;
  return true;
}

function reasonToKeep(
  { length: held }: readonly unknown[],
  { length: conflicts }: readonly unknown[],
): string {
  if (held > 0) return "changes were held back";
  return conflicts > 0 ? "others changed the same files" : "only some paths were committed";
}

/** Whether a person selected the path. */
function isAgreed(path: string, consent: Consent | undefined): boolean {
  if (consent === undefined) return false;
  return consent.paths === undefined || consent.paths.some((each) => isWithin(path, each));
}

/** Whether a person wants the version of the command although others changed the path. */
function overrides(path: string, consent: Consent | undefined): boolean {
  return consent?.to !== "asked" && isAgreed(path, consent);
}

/** Look for what others did since a person looked; nothing else is in the way of what the person wants. */
function createLaterSearch(
  deps: CommitDeps,
  layer: CommandLayer,
  consent: Consent | undefined,
): FindConflict | undefined {
  if (consent?.seenNs === undefined) return undefined;
  return createConflictSearch({
    layer: { ...layer, startedNs: consent.seenNs },
    openFiles: new Set(),
    wasRemoved: async () => false,
  });
}

/** A change, or the part of it, that is to be committed. */
async function permitted(
  layer: CommandLayer,
  judged: JudgedChange,
  consent: Consent | undefined,
): Promise<JudgedChange | undefined> {
  const { change, verdict, heldBelow } = judged;
  const isOpen = (path: string, { final, asks }: Pick<Hold, "final" | "asks">): boolean =>
    final !== true && (consent?.to !== "asked" || asks === true) && isAgreed(path, consent);
  if (verdict.kind === "hold" && !isOpen(change.path, verdict)) {
    const isFirst = consent === undefined || consent.to === "asked";
    if (verdict.instead === undefined || !isFirst) return undefined;
    return { ...judged, heldBelow: new Map([[change.path, verdict]]) };
  }
  const left = new Map([...heldBelow].filter(([path, hold]) => !isOpen(path, hold)));
  if (consent === undefined || isAgreed(change.path, consent))
    return left.size === heldBelow.size ? judged : { ...judged, heldBelow: left };
  const inside = consent.paths?.filter((path) => isWithin(path, change.path)) ?? [];
  if (inside.length === 0 || change.kind !== "created") return undefined;
  return { ...judged, heldBelow: await unselected(layer, { ...judged, heldBelow: left }, inside) };
}

/** Everything in a new folder but the selected paths. */
async function unselected(
  layer: CommandLayer,
  { change, heldBelow }: JudgedChange,
  selected: readonly string[],
): Promise<JudgedChange["heldBelow"]> {
  const left = new Map(heldBelow);
  const isMeant = (path: string): boolean =>
    selected.some((each) => isWithin(path, each) || isWithin(each, path));
  for await (const entries of layer.entriesBelow(change)) {
    for (const { path } of entries) {
      if (!isMeant(path)) left.set(path, { kind: "hold", reason: "it was not selected", rule: "paths" });
    }
  }
  return left;
}

/** What is held back of a change, of which `part` is committed. */
function heldOf(judged: JudgedChange, part: JudgedChange | undefined): CommitReport["heldBack"] {
  return heldChanges(judged).filter(({ path }) => part === undefined || part.heldBelow.has(path));
}

const maxDiffChars = 10_000;

function toConflict(layer: CommandLayer, at: LayerPath, reason: string): CommandConflict {
  const { path } = at;
  const texts = openLayerTexts(layer);
  const [before, after] = [texts.before(at), texts.after(at)];
  texts.close();
  if (before === undefined || after === undefined) return { path, reason };
  return { path, reason, diff: unifiedDiff({ before, after, path, maxChars: maxDiffChars }) };
}
