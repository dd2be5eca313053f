import type { ChangeOrigin } from "../../contract/ports/journal.js";
import type { CommandConflict, CommitReport } from "../../contract/ports/layers.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import type { Journal } from "../journal/journal.js";
import type { Adoption } from "../journal/plan-adoptions.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";
import { describeChanges, textAt } from "./describe-changes.js";
import { findConflict, type ConflictDeps } from "./find-conflicts.js";
import { judgeLayer, type JudgedChange } from "./judge-layer.js";
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
  /** Paths that a person consented to, though they would be held back or conflict. */
  readonly consented?: ((path: string) => boolean) | undefined;
  /** Only these paths. @default all */
  readonly only?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Commit what the rules allow of a layer; the rest stays in it, for a decision. */
export async function commitLayer(deps: CommitDeps, request: CommitRequest): Promise<CommitReport> {
  const { layer, withhold } = request;
  const judged = await judgeLayer(layer, request.rules);
  const files = new Map(judged.map((each) => [each.change, each.files]));
  const { changes } = await describeChanges(
    layer,
    judged.map(({ change }) => change),
    { filesIn: (change) => files.get(change) ?? 0 },
  );
  if (judged.length === 0) {
    await layer.discard();
    return { committed: "all", changes, heldBack: [], conflicts: [] };
  }
  if (withhold !== undefined) {
    await layer.keep(withhold);
    return { committed: "none", changes, heldBack: [], conflicts: [] };
  }
  return settle(deps, request, { judged, changes });
}

interface Judged {
  readonly judged: readonly JudgedChange[];
  readonly changes: CommitReport["changes"];
}

async function settle(
  deps: CommitDeps,
  request: CommitRequest,
  { judged, changes }: Judged,
): Promise<CommitReport> {
  const { layer } = request;
  const wanted = judged.flatMap((each) => permitted(each, request));
  const conflicts: CommandConflict[] = [];
  let adoptions: Adoption[] = [];
  const plan = async (): Promise<readonly Adoption[]> => {
    const openFiles = await deps.openFiles();
    for (const each of wanted) {
      const reason = await findConflict({ ...deps, layer, openFiles }, each.change);
      if (reason !== undefined && request.consented?.(each.change.path) !== true) {
        conflicts.push(toConflict(layer, each.change.path, reason));
      } else adoptions.push(...toAdoptions(layer, withCurrent(layer, each), deps.isBulk));
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
  const heldBack = judged.flatMap((each) => heldOf(each, request));
  if (heldBack.length === 0 && conflicts.length === 0 && request.only === undefined) await layer.discard();
  else await layer.keep(heldBack.length > 0 ? "changes were held back" : "others changed the same files");
  const rest = heldBack.length + conflicts.length;
  const committed = adoptions.length === 0 ? (rest === 0 ? "all" : "none") : rest === 0 ? "all" : "part";
  return { committed, changes, heldBack, conflicts };
}

/** A change, or the part of it, that is to be committed. */
function permitted(judged: JudgedChange, { consented, only }: CommitRequest): JudgedChange[] {
  const { change, verdict, heldBelow } = judged;
  const agreed = (path: string, final: boolean | undefined): boolean =>
    final !== true && consented?.(path) === true;
  if (verdict.kind === "hold" && !agreed(change.path, verdict.final)) return [];
  const left = new Map([...heldBelow].filter(([path, { final }]) => !agreed(path, final)));
  if (only !== undefined && !only(change.path) && left.size === heldBelow.size) return [];
  return [{ ...judged, heldBelow: left }];
}

function heldOf(judged: JudgedChange, request: CommitRequest): CommitReport["heldBack"] {
  const { change, verdict, heldBelow } = judged;
  const all = new Map(heldBelow);
  if (verdict.kind === "hold") all.set(change.path, verdict);
  const [part] = permitted(judged, request);
  return [...all]
    .filter(([path]) => part === undefined || part.heldBelow.has(path))
    .map(([path, { reason, rule, asks }]) => ({ path, reason, rule, ...(asks === true && { asks }) }));
}

/** With consent a change replaces what is there now. */
function withCurrent(_layer: CommandLayer, judged: JudgedChange): JudgedChange {
  return judged;
}

const maxDiffChars = 10_000;

function toConflict(layer: CommandLayer, path: string, reason: string): CommandConflict {
  const [before, after] = [textAt(`${layer.workspace}/${path}`), textAt(`${layer.upper}/${path}`)];
  if (before === undefined || after === undefined) return { path, reason };
  return { path, reason, diff: unifiedDiff({ before, after, path, maxChars: maxDiffChars }) };
}
