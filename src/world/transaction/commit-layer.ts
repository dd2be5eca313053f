import type { ChangeOrigin } from "../../contract/ports/journal.js";
import type { CommandConflict, CommitReport } from "../../contract/ports/layers.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { isWithin } from "../files/path-text.js";
import type { Journal } from "../journal/journal.js";
import type { Adoption } from "../journal/plan-adoptions.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";
import { stripAttributes } from "../sandbox/layer/strip-attributes.js";
import { describeChanges, type DescribedChanges, textAt } from "./describe-changes.js";
import { findConflict, type ConflictDeps } from "./find-conflicts.js";
import { heldChanges, judgeLayer, type Hold, type JudgedChange } from "./judge-layer.js";
import type { LayerRules } from "./name-verdict.js";
import { toAdoptions } from "./to-adoptions.js";

export interface CommitDeps extends Omit<ConflictDeps, "layer" | "openFiles"> {
  readonly journal: Pick<Journal, "adopt">;
  readonly openFiles: () => Promise<ReadonlySet<string>>;
  /** Whether a path can be created again: installed packages and other ignored files. */
  readonly isBulk: (path: string) => boolean;
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
}

/** Commit what the rules allow of a layer; the rest stays in it, for a decision. */
export async function commitLayer(deps: CommitDeps, request: CommitRequest): Promise<CommitReport> {
  const { layer, withhold } = request;
  const judged = await judgeLayer(layer, request.rules);
  const files = new Map(judged.map((each) => [each.change, each.files]));
  const changes = judged.map(({ change }) => change);
  const [described] = await Promise.all([
    describeChanges(layer, changes, {
      filesIn: (change) => files.get(change) ?? 0,
      inDiff: (path) => !isGitData.test(path),
    }),
    stripAttributes(
      layer,
      changes.filter(({ after }) => after !== undefined && after.kind !== "link"),
    ),
  ]);
  if (judged.length === 0) {
    await layer.discard();
    return { ...described, committed: "all", heldBack: [], conflicts: [] };
  }
  if (withhold !== undefined) {
    await layer.keep(withhold);
    return { ...described, committed: "none", heldBack: [], conflicts: [] };
  }
  return settle(deps, request, { judged, described });
}

/** Its own files say less about a command of git than what it printed. */
const isGitData = /(?:^|\/)\.git\//;

interface Judged {
  readonly judged: readonly JudgedChange[];
  readonly described: DescribedChanges;
}

async function settle(
  deps: CommitDeps,
  request: CommitRequest,
  { judged, described }: Judged,
): Promise<CommitReport> {
  const { layer } = request;
  const parts = new Map<JudgedChange, JudgedChange | undefined>();
  for (const each of judged) parts.set(each, await permitted(layer, each, request.consent));
  const wanted = [...parts.values()].filter((part) => part !== undefined);
  const conflicts: CommandConflict[] = [];
  const adoptions: Adoption[] = [];
  const plan = async (): Promise<readonly Adoption[]> => {
    const openFiles = await deps.openFiles();
    for (const each of wanted) {
      const reason = await findConflict({ ...deps, layer, openFiles }, each.change);
      if (reason !== undefined && !overrides(each.change.path, request.consent)) {
        conflicts.push(toConflict(layer, each.change.path, reason));
      } else adoptions.push(...toAdoptions(layer, each, deps.isBulk));
    }
    return adoptions;
  };
  try {
    if (wanted.length > 0) await deps.journal.adopt(plan, request.origin, { signal: request.signal });
  } catch (error) {
    await layer.keep("its changes could not be committed");
    throw error;
  }
  deps.onCommitted(adoptions.map(({ path }) => path));
  const heldBack = judged.flatMap((each) => heldOf(each, parts.get(each)));
  const isSettled = heldBack.length === 0 && conflicts.length === 0;
  const isAll = isSettled && (request.consent?.paths === undefined || (await isEmpty(layer)));
  if (isAll) await layer.discard();
  else await layer.keep(reasonToKeep(heldBack, conflicts));
  const committed = isAll ? "all" : adoptions.length === 0 ? "none" : "part";
  return { ...described, committed, heldBack, conflicts };
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
  if (consent === undefined || isAgreed(change.path, consent)) return { ...judged, heldBelow: left };
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
  for await (const { path } of layer.entriesBelow(change)) {
    const isMeant = selected.some((each) => isWithin(path, each) || isWithin(each, path));
    if (!isMeant) left.set(path, { kind: "hold", reason: "it was not selected", rule: "paths" });
  }
  return left;
}

/** What is held back of a change, of which `part` is committed. */
function heldOf(judged: JudgedChange, part: JudgedChange | undefined): CommitReport["heldBack"] {
  return heldChanges(judged).filter(({ path }) => part === undefined || part.heldBelow.has(path));
}

const maxDiffChars = 10_000;

function toConflict(layer: CommandLayer, path: string, reason: string): CommandConflict {
  const [before, after] = [textAt(`${layer.workspace}/${path}`), textAt(`${layer.upper}/${path}`)];
  if (before === undefined || after === undefined) return { path, reason };
  return { path, reason, diff: unifiedDiff({ before, after, path, maxChars: maxDiffChars }) };
}
