import { lstatSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ignoring } from "../contract/errno.js";
import type { JournalStep, NodeImage } from "../contract/ports/journal.js";
import type { State } from "./open-state.js";

/** What else is removed from the state besides the log. */
export interface StatePurgeRequest {
  /** Texts that may stand nowhere. */
  readonly texts?: readonly string[] | undefined;
  /** What was stored before this time. */
  readonly before?: number | undefined;
  readonly sessionId?: string | undefined;
  /** Also contents that an undo needs: those changes can then not be taken back. */
  readonly journal?: boolean | undefined;
  /** Only count what would be removed. @default false */
  readonly dryRun?: boolean | undefined;
}

/** How much was removed. */
export interface StatePurged {
  readonly values: number;
  readonly sessions: number;
  readonly approvals: number;
  readonly outputs: number;
  readonly journal: number;
}

/** Remove what got into the state: kept values, sessions, answered approvals, outputs and, if asked, the journal. */
export async function purgeState(state: State, request: StatePurgeRequest): Promise<StatePurged> {
  const { sql } = state;
  const isReal = request.dryRun !== true;
  // What is deleted is overwritten, not only unlinked.
  if (isReal && sql.dialect === "sqlite") await sql.get("PRAGMA secure_delete = ON");
  const purged = {
    values: await purgeValues(state, request),
    sessions: await purgeSessions(state, request),
    approvals: await purgeApprovals(state, request),
    outputs: purgeOutputs(join(state.dir, "outputs"), request),
    journal: request.journal === true ? await purgeJournal(state, request) : 0,
  };
  if (isReal && sql.dialect === "sqlite") await sql.get("PRAGMA wal_checkpoint(TRUNCATE)");
  return purged;
}

async function purgeValues(state: State, request: StatePurgeRequest): Promise<number> {
  const holds = holding(request);
  const rows = await state.sql.all<{ namespace: string; key: string; value: string }>(
    "SELECT namespace, key, value FROM kv",
  );
  const own = `session-seen:${request.sessionId}`;
  const doomed = rows.filter(
    ({ namespace, key, value }) =>
      holds(value) || holds(key) || (request.sessionId !== undefined && namespace === own),
  );
  if (request.dryRun === true) return doomed.length;
  for (const { namespace, key } of doomed) await state.kv(namespace).delete(key);
  return doomed.length;
}

async function purgeSessions(state: State, request: StatePurgeRequest): Promise<number> {
  const holds = holding(request);
  let count = 0;
  for (const { name, updatedAt } of await state.sessions.list()) {
    const kept = await state.sessions.load(name);
    const isMeant =
      name === request.sessionId || updatedAt < (request.before ?? 0) || holds(JSON.stringify(kept));
    if (!isMeant) continue;
    if (request.dryRun !== true) await state.sessions.remove(name);
    count++;
  }
  return count;
}

async function purgeApprovals(state: State, asked: StatePurgeRequest): Promise<number> {
  const holds = holding(asked);
  const rows = await state.sql.all<{ id: string; request: string; answer: string; opened_at: number }>(
    "SELECT id, request, answer, opened_at FROM approvals WHERE answer IS NOT NULL",
  );
  const doomed = rows.filter(
    ({ request, answer, opened_at: openedAt }) =>
      holds(request) || holds(answer) || openedAt < (asked.before ?? 0) || isOf(request, asked.sessionId),
  );
  if (asked.dryRun === true) return doomed.length;
  for (const { id } of doomed) await state.sql.run("DELETE FROM approvals WHERE id = ?", [id]);
  return doomed.length;
}

function isOf(request: string, sessionId: string | undefined): boolean {
  return sessionId !== undefined && (JSON.parse(request) as { sessionId?: string }).sessionId === sessionId;
}

/** Outputs lie as pairs of files, `<handle>.out` and `<handle>.json`. */
function purgeOutputs(dir: string, request: StatePurgeRequest): number {
  const holds = holding(request);
  const names = ignoring("ENOENT", () => readdirSync(dir)) ?? [];
  const doomed = new Set(
    names
      .filter((name) => {
        const file = join(dir, name);
        const text = readFileSync(file, "latin1");
        const isOld = statSync(file).mtimeMs < (request.before ?? 0);
        return (
          isOld ||
          holds(Buffer.from(text, "latin1")) ||
          (name.endsWith(".json") && isOf(text, request.sessionId))
        );
      })
      .map((name) => name.replace(/\.[^.]*$/, "")),
  );
  if (request.dryRun === true) return doomed.size;
  for (const name of names)
    if (doomed.has(name.replace(/\.[^.]*$/, ""))) rmSync(join(dir, name), { force: true });
  return doomed.size;
}

async function purgeJournal(state: State, request: StatePurgeRequest): Promise<number> {
  const holds = holding(request);
  const hashes = new Set<string>();
  for await (const hash of state.blobs.list()) if (holds(await state.blobs.read(hash))) hashes.add(hash);
  const rows = await state.sql.all<{ step: string }>("SELECT step FROM journal_changes");
  const paths = new Set(
    rows.flatMap(({ step: text }) => {
      const step = JSON.parse(text) as JournalStep;
      const isMeant = imagesOf(step).some((image) => image !== null && imageHolds(image, hashes, holds));
      const isStored = step.kind === "rename" && step.into === "store" && treeHolds(step.stored, holds);
      return isMeant || isStored ? [step.kind === "move" ? step.to : step.path] : [];
    }),
  );
  if (request.dryRun === true) return paths.size + hashes.size;
  let count = 0;
  for (const path of paths) count += await state.journal.clear(path);
  for (const hash of hashes) state.blobs.remove(hash);
  return count + hashes.size;
}

function imagesOf(step: JournalStep): readonly (NodeImage | null)[] {
  if (step.kind === "set") return [step.before, step.after];
  return step.kind === "move" ? [step.overwritten] : [];
}

/** Whether a file in what a command replaced holds the text; what is gone or cannot be read holds nothing. */
function treeHolds(top: string, holds: Holds): boolean {
  const stat = lstatSync(top, { throwIfNoEntry: false });
  if (stat?.isFile() === true) return holds(readFileSync(top));
  if (stat?.isDirectory() !== true) return false;
  return readdirSync(top).some((name) => treeHolds(join(top, name), holds));
}

function imageHolds(image: NodeImage, hashes: ReadonlySet<string>, holds: Holds): boolean {
  if (image.type === "symlink") return holds(image.target);
  if (image.type === "directory") return [image.manifest, image.pack].some((hash) => hashes.has(hash ?? ""));
  if (hashes.has(image.hash)) return true;
  const { middle } = image.delta ?? {};
  if (middle === undefined) return false;
  return "bytes" in middle ? holds(Buffer.from(middle.bytes, "base64")) : hashes.has(middle.hash);
}

type Holds = (content: string | Uint8Array | undefined) => boolean;

/** Whether something contains one of the texts, as it is or in JSON. */
function holding({ texts = [] }: StatePurgeRequest): Holds {
  const needles = [...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
  const buffers = needles.map((text) => Buffer.from(text));
  return (content) => {
    if (content === undefined) return false;
    if (typeof content === "string") return needles.some((needle) => content.includes(needle));
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    return buffers.some((needle) => bytes.includes(needle));
  };
}
