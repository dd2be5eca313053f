import path from "node:path";
import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type {
  ChangeSelector,
  JournalEntry,
  JournalStep,
  JournalStore,
} from "../../contract/ports/journal.js";
import { isWithin } from "../files/path-text.js";
import type { GuardDeps } from "../files/locate.js";
import { resolveRealPath } from "./resolve-real-path.js";
import type { UndoTarget } from "./undo-content.js";

/** What to undo: by path, call or task, the last change of a session, or all changes of several calls. */
export type UndoSelector =
  | ChangeSelector
  | { readonly lastOf: string }
  | { readonly callIds: readonly string[] };

/** The selected changes, newest first. Throws if there is nothing to undo. */
export async function selectChanges(
  deps: GuardDeps,
  store: JournalStore,
  what: UndoSelector,
): Promise<readonly UndoTarget[]> {
  if ("lastOf" in what) return lastOfSession(store, what.lastOf);
  if ("callIds" in what) return changesOfCalls(store, what.callIds);
  const targets =
    "path" in what ? await lastOfPath(deps, store, what.path) : await matchingChanges(store, what);
  if (targets.length > 0) return targets;
  if (await store.wasUndone("path" in what ? { path: realPaths(deps, what.path)[0] ?? "" } : what)) {
    throw alreadyUndone(what);
  }
  throw nothingFound(what, "path" in what ? await changedAbove(deps, store, what.path) : undefined);
}

/** The real paths that a text can mean in the journal: the target of a link, and the link itself. */
export function realPaths(deps: GuardDeps, text: string): string[] {
  const through = resolveRealPath(deps, text, { access: "read" });
  const itself = resolveRealPath(deps, text, { access: "read", follow: false });
  return [...new Set([itself, through])];
}

const searchLimits = [50, 1_000, 10_000];

/** The newest change of a session that is not undone: the history lists calls, their entries name the session. */
async function lastOfSession(store: JournalStore, sessionId: string): Promise<UndoTarget[]> {
  const known = new Set<string>();
  for (const limit of searchLimits) {
    const records = await store.history({ limit });
    for (const { callId, undone } of records) {
      if (undone || known.has(callId)) continue;
      known.add(callId);
      const entries = await store.select({ callId });
      const own = entries.find(({ kind, origin }) => kind === "change" && origin.sessionId === sessionId);
      if (own !== undefined) return toTargets(own, own.changes);
    }
    if (records.length < limit) break;
  }
  throw new ToolResourceNotFoundError("Nothing to undo: this session has not changed any file.", {
    hint: "Name a path, a call or a task; edit_history lists what can be undone.",
  });
}

async function matchingChanges(store: JournalStore, what: ChangeSelector): Promise<UndoTarget[]> {
  return (await store.select(what)).flatMap((entry) => toTargets(entry, entry.changes));
}

/** All changes of several calls, the newest first. */
async function changesOfCalls(store: JournalStore, callIds: readonly string[]): Promise<UndoTarget[]> {
  // A command and the call that committed a part of it later have that part in common.
  const entries = new Map<number, JournalEntry>();
  for (const callId of callIds)
    for (const entry of await store.select({ callId })) entries.set(entry.id, entry);
  const newestFirst = [...entries.values()].sort((one, other) => other.id - one.id);
  return newestFirst.flatMap((entry) => toTargets(entry, entry.changes));
}

/** The last change of a path, with what belongs to it in the same entry. */
async function lastOfPath(deps: GuardDeps, store: JournalStore, text: string): Promise<UndoTarget[]> {
  const found = await Promise.all(realPaths(deps, text).map((real) => newestOf(store, real)));
  const [newest] = found
    .filter((each) => each !== undefined)
    .sort((one, other) => other.entry.id - one.entry.id);
  if (newest === undefined) return [];
  return toTargets(newest.entry, connected(newest.entry.changes, newest.real));
}

async function newestOf(
  store: JournalStore,
  real: string,
): Promise<{ entry: JournalEntry; real: string } | undefined> {
  const [entry] = await store.select({ path: real });
  return entry && { entry, real };
}

function toTargets(entry: JournalEntry, changes: JournalEntry["changes"]): UndoTarget[] {
  return changes.map((change) => ({ ...change, entry: entry.id, time: entry.time })).toReversed();
}

/** The changes connected to a path: a file that was moved and edited in one call has two paths and one history. */
function connected(changes: JournalEntry["changes"], real: string): JournalEntry["changes"] {
  const paths = new Set([real]);
  const chosen = new Set<JournalEntry["changes"][number]>();
  for (let grew = true; grew;) {
    grew = false;
    for (const change of changes) {
      const own = pathsOf(change.step);
      if (chosen.has(change) || !own.some((each) => paths.has(each))) continue;
      chosen.add(change);
      for (const each of own) paths.add(each);
      grew = true;
    }
  }
  const isParent = (step: JournalStep): boolean => pathsOf(step).some((each) => isAbove(each, paths));
  return changes.filter((change) => chosen.has(change) || (change.implied && isParent(change.step)));
}

function isAbove(directory: string, paths: ReadonlySet<string>): boolean {
  return [...paths].some((each) => isWithin(each, directory));
}

function pathsOf(step: JournalStep): string[] {
  return step.kind === "move" ? [step.from, step.to] : [step.path];
}

/** The call that last changed the nearest changed directory above a path. */
async function changedAbove(deps: GuardDeps, store: JournalStore, text: string): Promise<string | undefined> {
  const [real = ""] = realPaths(deps, text);
  for (
    let directory = path.dirname(real);
    directory !== path.dirname(directory);
    directory = path.dirname(directory)
  ) {
    const [entry] = await store.select({ path: directory });
    if (
      entry?.changes.some((change) => !change.implied && pathsOf(change.step).includes(directory)) === true
    ) {
      return entry.origin.callId;
    }
  }
  return undefined;
}

const words: Record<string, string> = { path: "path", callId: "call", taskId: "task" };

function alreadyUndone(what: ChangeSelector): ToolResourceNotFoundError {
  const [kind = "", name = ""] = Object.entries(what)[0] ?? [];
  return new ToolResourceNotFoundError(
    `Nothing left to undo: the changes of the ${words[kind]} "${name}" have already been undone.`,
    { hint: "edit_history shows which call undid them; undo that call to restore the changes." },
  );
}

function nothingFound(what: ChangeSelector, callId: string | undefined): ToolResourceNotFoundError {
  const [kind = "", name = ""] = Object.entries(what)[0] ?? [];
  return new ToolResourceNotFoundError(`Nothing to undo for the ${words[kind]} "${name}".`, {
    hint:
      callId === undefined
        ? "edit_history lists what can be undone; the result of a command says whether its changes can be undone."
        : `Its directory was changed as a whole: undo the call "${callId}".`,
  });
}
