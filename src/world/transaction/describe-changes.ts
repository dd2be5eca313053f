import type { CommandChange } from "../../contract/ports/layers.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import type { CommandLayer, LayerChange, LayerPath } from "../sandbox/layer/layer-types.js";
import type { SeenContents } from "./seen-contents.js";
import { openLayerTexts, type LayerTexts } from "./text-at.js";

/** Lines are counted and compared in so many files. */
const maxTexts = 300;
/** A larger new folder is one change. */
const maxListed = 50;

/** What a command changed, with the number of lines, and a diff. */
export interface DescribedChanges {
  readonly changes: readonly CommandChange[];
  /** From the workspace to what the command left. */
  readonly diff: string;
}

export interface DescribeOptions {
  /** How many files are in a new folder. */
  readonly filesIn: (change: LayerChange) => number;
  /** Which paths are described. @default all */
  readonly wants?: ((path: string) => boolean) | undefined;
  /** Which paths are in the diff. @default all */
  readonly inDiff?: ((path: string) => boolean) | undefined;
  /** Characters of the diff. @default 200_000 */
  readonly maxChars?: number | undefined;
  /** What was read before, and what is read now. */
  readonly seen?: SeenContents | undefined;
}

/** Describe changes of a layer that are not committed yet. */
export async function describeChanges(
  layer: CommandLayer,
  changes: readonly LayerChange[],
  options: DescribeOptions,
): Promise<DescribedChanges> {
  const texts = openLayerTexts(layer, options.seen);
  try {
    return await describe({ layer, texts }, changes, options);
  } finally {
    texts.close();
  }
}

async function describe(
  { layer, texts }: { readonly layer: CommandLayer; readonly texts: LayerTexts },
  changes: readonly LayerChange[],
  { filesIn, wants = () => true, inDiff = () => true, maxChars = 200_000 }: DescribeOptions,
): Promise<DescribedChanges> {
  const found: CommandChange[] = [];
  const diffs: string[] = [];
  let chars = 0;
  let compared = 0;
  const add = (entry: LayerPath & Partial<Versions>, kind: CommandChange["kind"]): void => {
    const { path } = entry;
    if (!wants(path)) return;
    compared += 1;
    const diff = compared <= maxTexts ? diffOf(texts, entry, kind) : undefined;
    found.push({ path, kind, ...(diff !== undefined && countLines(diff)) });
    if (diff === undefined || chars > maxChars || !inDiff(path)) return;
    chars += diff.length;
    diffs.push(chars > maxChars ? `${quoted(path)}: the diff is too long to be shown\n` : diff);
  };
  // File systems list entries in any order.
  const shown = changes.filter(({ isLinked }) => isLinked !== true);
  for (const change of shown.toSorted(byPath)) {
    const { path, before, after } = change;
    if (change.kind === "attributes") {
      if (wants(path)) found.push({ path, kind: "mode" });
      continue;
    }
    const isFolder = after?.kind === "folder" || (change.kind === "removed" && before?.kind === "folder");
    if (!isFolder) {
      add(change, kindOf(change));
      continue;
    }
    const files = filesIn(change);
    if (after === undefined || files === 0 || files > maxListed) {
      if (wants(path))
        found.push({ path: `${path}/`, kind: kindOf(change), ...(after !== undefined && { files }) });
      continue;
    }
    const inside: LayerPath[] = [];
    for await (const entries of layer.entriesBelow(change)) {
      inside.push(...entries.filter(({ kind }) => kind !== "folder"));
    }
    for (const entry of inside.toSorted(byPath)) add(entry, kindOf(change));
  }
  return { changes: found, diff: diffs.join("") };
}

function byPath(one: LayerPath, other: LayerPath): number {
  return one.path < other.path ? -1 : 1;
}

function kindOf({ kind }: LayerChange): CommandChange["kind"] {
  if (kind === "created") return "added";
  return kind === "removed" ? "removed" : "changed";
}

type Versions = Pick<LayerChange, "before" | "after">;

function diffOf(
  texts: LayerTexts,
  entry: LayerPath & Partial<Versions>,
  kind: CommandChange["kind"],
): string | undefined {
  const { path } = entry;
  const before = kind === "added" ? "" : texts.before(entry, entry.before);
  const after = kind === "removed" ? "" : texts.after(entry, entry.after);
  if (before === undefined || after === undefined) return undefined;
  return unifiedDiff({
    before,
    after,
    oldPath: kind === "added" ? null : path,
    newPath: kind === "removed" ? null : path,
    maxChars: 20_000_000,
  });
}

function countLines(diff: string): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0];
  let inHunk = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) inHunk = true;
    else if (line.startsWith("diff ")) inHunk = false;
    else if (inHunk && line.startsWith("+")) added += 1;
    else if (inHunk && line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}

function quoted(path: string): string {
  return JSON.stringify(path);
}
