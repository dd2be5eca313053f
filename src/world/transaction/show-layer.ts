import { dirname } from "node:path";
import type { LayerView, WaitingChange } from "../../contract/ports/layers.js";
import { fileTimeFrom } from "../files/file-time.js";
import { isWithin } from "../files/path-text.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import { pathBelow } from "../sandbox/layer/layer-path.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";
import { describeChanges } from "./describe-changes.js";
import { createConflictSearch } from "./find-conflicts.js";
import { heldChanges, judgeLayer, type JudgedChange } from "./judge-layer.js";
import type { LayerRules, Verdict } from "./name-verdict.js";

/** Everything that a person consents to is shown. */
const maxChars = 50_000_000;

/** What a layer would change in the workspace, and why it is not committed by itself. */
export async function showLayer(
  layer: CommandLayer,
  rules: LayerRules,
  paths?: readonly string[],
): Promise<Pick<LayerView, "changes" | "heldBack" | "diff" | "seenNs">> {
  // What others change from now on was not seen.
  const seenNs = String(fileTimeFrom(dirname(layer.upper)) - 1n);
  const judged = await judgeLayer(layer, rules);
  const files = new Map(judged.map((each) => [each.change, each.files]));
  const wants = (path: string): boolean =>
    paths === undefined || paths.some((each) => isWithin(path, each) || isWithin(each, path));
  const described = await describeChanges(
    layer,
    judged.map(({ change }) => change),
    { filesIn: (change) => files.get(change) ?? 0, wants, maxChars },
  );
  const reasons = await reasonsOf(layer, judged);
  const changes = described.changes.map((change) => ({ ...change, ...reasonFor(change.path, reasons) }));
  const heldBack = judged.flatMap((each) => heldChanges(each)).filter(({ path }) => wants(path));
  return { changes, heldBack, diff: described.diff, seenNs };
}

type Reason = Pick<WaitingChange, "reason" | "rule" | "conflict">;

async function reasonsOf(
  layer: CommandLayer,
  judged: readonly JudgedChange[],
): Promise<ReadonlyMap<string, Reason>> {
  const reasons = new Map<string, Reason>();
  const findConflict = createConflictSearch({
    layer,
    openFiles: new Set<string>(),
    wasRemoved: async () => false,
  });
  for (const { change, verdict, heldBelow } of judged) {
    const now = entryAt(pathBelow(layer.workspace, change))?.state;
    const conflict = await findConflict(change, now);
    if (conflict !== undefined) reasons.set(change.path, { reason: conflict, conflict: true });
    for (const [path, held] of [[change.path, verdict] as const, ...heldBelow]) addHeld(reasons, path, held);
  }
  return reasons;
}

function addHeld(reasons: Map<string, Reason>, path: string, verdict: Verdict): void {
  if (verdict.kind === "hold") reasons.set(path, { reason: verdict.reason, rule: verdict.rule });
}

function reasonFor(path: string, reasons: ReadonlyMap<string, Reason>): Reason {
  const bare = path.replace(/\/$/, "");
  for (let end = bare.length; end > 0; end = bare.lastIndexOf("/", end - 1)) {
    const reason = reasons.get(bare.slice(0, end));
    if (reason !== undefined) return reason;
  }
  return {};
}
