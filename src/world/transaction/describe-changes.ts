import { readFileSync, readlinkSync } from "node:fs";
import type { CommandChange } from "../../contract/ports/layers.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import { entryAt } from "../sandbox/layer/entry-state.js";
import { pathBelow } from "../sandbox/layer/layer-path.js";
import type { CommandLayer, LayerChange, LayerPath } from "../sandbox/layer/layer-types.js";

/** Lines are counted and compared in so many files, of this size. */
const maxTexts = 300;
const maxTextBytes = 1 << 20;
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
}

/** Describe changes of a layer that are not committed yet. */
export async function describeChanges(
  layer: CommandLayer,
  changes: readonly LayerChange[],
  { filesIn, wants = () => true, inDiff = () => true, maxChars = 200_000 }: DescribeOptions,
): Promise<DescribedChanges> {
  const found: CommandChange[] = [];
  const diffs: string[] = [];
  let chars = 0;
  let texts = 0;
  const add = (entry: LayerPath, kind: CommandChange["kind"]): void => {
    const { path } = entry;
    if (!wants(path)) return;
    texts += 1;
    const diff = texts <= maxTexts ? diffOf(layer, entry, kind) : undefined;
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

function diffOf(layer: CommandLayer, entry: LayerPath, kind: CommandChange["kind"]): string | undefined {
  const { path } = entry;
  const before = kind === "added" ? "" : textAt(pathBelow(layer.workspace, entry));
  const after = kind === "removed" ? "" : textAt(layer.locate(entry));
  if (before === undefined || after === undefined) return undefined;
  return unifiedDiff({
    before,
    after,
    oldPath: kind === "added" ? null : path,
    newPath: kind === "removed" ? null : path,
    maxChars: 20_000_000,
  });
}

/** The text of a file, or where a link leads; `undefined` for anything else. */
export function textAt(place: string | Buffer): string | undefined {
  const state = entryAt(place)?.state;
  if (state === undefined) return "";
  if (state.kind === "link") return `${readlinkSync(place)}\n`;
  if (state.kind !== "file" || state.size > maxTextBytes) return undefined;
  try {
    const bytes = readFileSync(place);
    return bytes.includes(0) ? undefined : bytes.toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined; // its owner may not read it
    throw error;
  }
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
