import { ToolExecutionError } from "../../contract/errors.js";
import type { NodeImage } from "../../contract/ports/journal.js";
import { loadDiff } from "../../text/libraries.js";
import type { Plan } from "./plan.js";
import { readSource, type Source } from "./sources.js";
import type { VirtualNode } from "./virtual-files.js";

/** A change that cannot be undone, and what others did since. */
export interface UndoConflict {
  readonly path: string;
  readonly reason: string;
  /** From what the change left to what is there now. */
  readonly diff?: string;
}

/** The error for an undo with conflicts. */
export function undoRefused(conflicts: readonly UndoConflict[]): ToolExecutionError {
  const [first] = conflicts;
  const others = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : "";
  const diff = conflicts.map((each) => each.diff ?? "").join("");
  return new ToolExecutionError(
    `Cannot undo: "${first?.path}" ${first?.reason}${others}. Nothing was changed.`,
    {
      code: "FILE_CONFLICT",
      hint: "The diff shows what was changed since; edit the file by hand, or undo that change first. A person can override it with `tenon undo --force`.",
      details: { conflicts, ...(diff !== "" && { diff }) },
    },
  );
}

export interface ConflictSubject {
  readonly path: string;
  /** What the change left there. */
  readonly expected: NodeImage | null;
  /** What was there before it. */
  readonly before?: NodeImage | null;
  readonly node: VirtualNode | null;
  /** The text that the change left, where it could be rebuilt. */
  readonly left?: string | undefined;
}

/** Describe what is there now instead of the outcome of a change, with a diff of texts. */
export async function describeConflict(plan: Plan, subject: ConflictSubject): Promise<UndoConflict> {
  const { path, expected, node } = subject;
  if (expected === null) return { path, reason: "exists again" };
  if (node === null) return { path, reason: "was deleted since" };
  if (node.type !== expected.type) return { path, reason: `is a ${node.type} now` };
  const reason =
    expected.type === "directory" && expected.tree === null ? "is no longer empty" : "was changed since";
  if (node.type !== "file" || expected.type !== "file") return { path, reason };
  const diff = await diffOf(plan, subject, node.source);
  return { path, reason, ...(diff !== undefined && { diff }) };
}

const diffBytes = 1 << 20;
const diffTimeoutMs = 500;

async function diffOf(
  plan: Plan,
  { path, expected, before, left: rebuilt }: ConflictSubject,
  source: Source,
): Promise<string | undefined> {
  const left = rebuilt ?? (await keptText(plan, expected)) ?? (await keptText(plan, before ?? null));
  const now = await readText(plan, source);
  if (left === undefined || now === undefined) return undefined;
  const { createTwoFilesPatch } = loadDiff();
  const options = { context: 3, timeout: diffTimeoutMs };
  return createTwoFilesPatch(path, path, left, now, "as Tenon knows it", "as it is now", options);
}

async function keptText(plan: Plan, image: NodeImage | null): Promise<string | undefined> {
  if (image?.type !== "file" || image.hash === "" || !plan.deps.blobs.has(image.hash)) return undefined;
  return readText(plan, { kind: "blob", hash: image.hash });
}

/** The whole text, or `undefined` where it is too long or no text. */
export async function readText(plan: Plan, source: Source): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readSource(plan.deps, source)) {
    size += chunk.length;
    if (size > diffBytes || chunk.includes(0)) return undefined;
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString();
}
