import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import type { HeldBack } from "../../../contract/ports/quarantine.js";
import { isWithin } from "../../files/path-text.js";
import { realPathOf } from "../../files/real-path.js";
import type { AcceptedChanges } from "./accepted-changes.js";
import type { HeldChanges } from "./held-changes.js";
import type { JudgedPath } from "./git-paths.js";
import { judgeChange, type ChangeVerdict } from "./judge-change.js";
import { judgedPaths } from "./judged-paths.js";
import { renameUndecodable } from "./rename-undecodable.js";
import type { RunRecord, RunRecords } from "./run-records.js";
import { createSnapshotReader, type Snapshot } from "./snapshots.js";
import type { SensitivePath } from "./sensitive-paths.js";
import { removeEmpty, quarantinePath } from "./quarantine-path.js";

/** The call that runs a command, and the changes that the policy already allowed. */
export interface RunOrigin {
  readonly callId: string;
  readonly sessionId: string;
  /** Absolute paths that the command may change, allowed by rules or a person. */
  readonly changes: readonly string[];
}

export interface RunStart {
  readonly origin: RunOrigin;
  readonly sensitive: readonly SensitivePath[];
  /** Whether the run cannot change a path, because it is mounted read-only. */
  readonly isMounted: (path: string) => boolean;
}

/** A running command. */
export interface JudgedRun {
  /** The changes that were held back so far. */
  held(): readonly HeldBack[];
  /** Judge what it changed and quarantine what must not stay; called while it runs and when it has ended. */
  check(moment: "running" | "ended"): Promise<void>;
  end(): void;
}

export interface RunJudge {
  begin(start: RunStart): JudgedRun;
  /** These paths were changed with permission, by something else than a command. */
  accept(paths: readonly string[]): void;
  /** Judge the changes of commands whose Tenon was killed. */
  recover(): Promise<void>;
}

export interface RunJudgeOptions {
  readonly held: HeldChanges;
  readonly records: RunRecords;
  readonly accepted: AcceptedChanges;
  /** Real paths of folders that commands may write. */
  readonly roots: readonly string[];
  /** Git folders outside the workspace that belong to it. */
  readonly gitFolders: readonly string[];
  readonly findSensitivePaths: () => Promise<readonly SensitivePath[]>;
  readonly now: () => number;
}

interface ActiveRun extends RunRecord {
  readonly startedAt: number;
  /** Changes after this time are not attributed to the run. */
  readonly until: number;
  readonly isOwn: (path: string) => boolean;
  readonly seen: Map<string, { stamp: string; count: number }>;
  readonly held: HeldBack[];
}

/** File times may lag behind the clock. */
const slackMs = 5000;
/** A file that keeps changing is judged after this many checks. */
const maxChecks = 3;

/** Create the judge of changes by commands. */
export function createRunJudge(options: RunJudgeOptions): RunJudge {
  const { held, records, accepted, roots, gitFolders, now } = options;
  const reader = createSnapshotReader();
  const inside = [...roots, ...gitFolders];
  const isInside = (path: string): boolean => {
    const real = realPathOf(path);
    return inside.some((root) => isWithin(real, root));
  };
  const pathsNow = (sensitive: readonly SensitivePath[], before?: ReadonlyMap<string, Snapshot>) =>
    judgedPaths(sensitive, gitFolders, {
      isInside,
      settingsOf: (path) => textOf((before ?? reader.read([path])).get(path)),
    });
  // One check at a time: two that find the same change would both tell of it.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const mine = turn.then(act, act);
    turn = mine.catch(() => {});
    return mine;
  };

  const check = async (run: ActiveRun, moment: "running" | "ended"): Promise<void> => {
    const sensitive = await findReadable(run);
    const judged = pathsNow(sensitive, run.before);
    const paths = new Set([...run.before.keys(), ...judged.keys()]);
    const after = reader.read(paths);
    const newFolders = sensitive.filter(({ path, kind }) => kind === "directory" && !knows(run, path));
    for (const path of paths) {
      const about = judged.get(path) ?? run.judged.get(path);
      const verdict = about && judgePath(run, about, after.get(path));
      if (verdict === undefined || !verdict.held) continue;
      if (moment === "running" && !isUnchanged(run, path, after.get(path))) continue;
      hold(run, path, verdict);
      removeEmpty(
        dirname(path),
        (at) => !newFolders.some((folder) => folder.what === "named" && isWithin(at, folder.path)),
      );
    }
  };

  /** A folder whose name is not valid UTF-8 is renamed, because nothing in it could be judged otherwise. */
  const findReadable = async (run: ActiveRun): Promise<readonly SensitivePath[]> => {
    const sensitive = await options.findSensitivePaths();
    const renamed = renameUndecodable(sensitive, (path) => knows(run, path));
    for (const path of renamed) {
      const reason = "its name is not valid UTF-8, so it was renamed to judge what is in it";
      run.held.push({ path: held.showPath(path), reason, rule: "name" });
    }
    return renamed.length === 0 ? sensitive : options.findSensitivePaths();
  };

  const judgePath = (
    run: ActiveRun,
    about: JudgedPath,
    after: Snapshot | undefined,
  ): ChangeVerdict | undefined => {
    const before = run.before.get(about.path);
    if (before?.stamp === after?.stamp || run.isOwn(about.path)) return undefined;
    if (after !== undefined && after.changedMs > run.until) return undefined;
    if (accepted.covers(about.path, after, run.startedAt)) return undefined;
    return judgeChange({ ...about, before: before?.content, after: after?.content }, { isInside });
  };

  const hold = (run: ActiveRun, path: string, verdict: Extract<ChangeVerdict, { held: true }>): void => {
    const { reason, rule } = verdict;
    const item = quarantinePath(held.store, {
      path,
      id: `held_${randomBytes(8).toString("hex")}`,
      before: run.before.get(path),
      instead: verdict.instead,
      item: { callId: run.callId, sessionId: run.sessionId, at: now(), reason, rule },
    });
    if (item !== undefined) run.held.push({ path: held.showPath(path), reason, rule });
  };

  const accept = (paths: readonly string[]): void => accepted.add(paths, reader.read(paths));
  held.onRestored((path) => accept([path]));
  let running = 0;

  return {
    accept: (paths) => (running > 0 ? accept(paths) : undefined),
    begin({ origin, sensitive, isMounted }) {
      const judged = pathsNow(sensitive);
      const before = reader.read(judged.keys());
      const id = randomBytes(8).toString("hex");
      const mayChange = consentTo(origin.changes, sensitive);
      const run: ActiveRun = {
        callId: origin.callId,
        sessionId: origin.sessionId,
        judged,
        before,
        startedAt: now(),
        until: Number.POSITIVE_INFINITY,
        isOwn: (path) => isMounted(path) || mayChange(path),
        seen: new Map(),
        held: [],
      };
      records.write(id, run);
      running += 1;
      return {
        held: () => run.held,
        async check(moment) {
          await inTurn(() => check(run, moment));
          if (moment === "running") records.touch(id);
          // Other running commands must not be blamed for changes that this one was allowed to make.
          else accept(origin.changes);
        },
        end() {
          running -= 1;
          records.remove(id);
        },
      };
    },
    recover: () =>
      inTurn(async () => {
        for (const { id, record, livedUntil } of records.abandoned()) {
          const until = livedUntil + slackMs;
          const rest = { startedAt: 0, until, isOwn: () => false, seen: new Map(), held: [] };
          if (livedUntil > 0) await check({ ...record, ...rest }, "ended");
          records.remove(id);
        }
      }),
  };
}

/** Whether the policy allowed the command to change a path. */
function consentTo(
  changes: readonly string[],
  sensitive: readonly SensitivePath[],
): (path: string) => boolean {
  // Consent to a folder covers its contents only if the folder itself needs consent.
  const folders = changes.filter((change) =>
    sensitive.some(({ what, path }) => what === "named" && isWithin(change, path)),
  );
  return (path) => changes.includes(path) || folders.some((folder) => isWithin(path, folder));
}

function knows(run: RunRecord, folder: string): boolean {
  for (const path of run.before.keys()) if (isWithin(path, folder)) return true;
  return false;
}

/** Whether it is not being written right now, so that no incomplete file is stored. */
function isUnchanged(run: ActiveRun, path: string, after: Snapshot | undefined): boolean {
  if (after === undefined) return false;
  const last = run.seen.get(path);
  const count = (last?.count ?? 0) + 1;
  run.seen.set(path, { stamp: after.stamp, count });
  return last?.stamp === after.stamp || count >= maxChecks;
}

function textOf(snapshot: Snapshot | undefined): string | undefined {
  return snapshot?.content.kind === "file" ? Buffer.from(snapshot.content.bytes).toString("utf8") : undefined;
}
