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
import type { SurveyedPath } from "./survey.js";
import { removeEmpty, takeAside } from "./take-aside.js";

/** Who runs a command, and what the policy has already judged of it. */
export interface RunOrigin {
  readonly callId: string;
  readonly sessionId: string;
  /** Absolute paths that the line is known to change: rules or a person let it. */
  readonly changes: readonly string[];
}

export interface RunStart {
  readonly origin: RunOrigin;
  readonly surveyed: readonly SurveyedPath[];
  /** Whether the run cannot change a path, because it is mounted read-only. */
  readonly isMounted: (path: string) => boolean;
}

/** A command under way. */
export interface JudgedRun {
  /** What was held back so far. */
  held(): readonly HeldBack[];
  /** Judge what it changed and take aside what must not stay; called while it runs and when it has ended. */
  look(moment: "running" | "ended"): Promise<void>;
  end(): void;
}

export interface RunJudge {
  begin(start: RunStart): JudgedRun;
  /** Something else that a rule or a person let happen changed these paths. */
  accept(paths: readonly string[]): void;
  /** Judge what runs left whose Tenon was killed. */
  recover(): Promise<void>;
}

export interface RunJudgeOptions {
  readonly held: HeldChanges;
  readonly records: RunRecords;
  readonly accepted: AcceptedChanges;
  /** Places that commands may write, as real paths. */
  readonly roots: readonly string[];
  /** Git folders outside the workspace that belong to it. */
  readonly gitFolders: readonly string[];
  readonly survey: () => Promise<readonly SurveyedPath[]>;
  readonly now: () => number;
}

interface Run extends RunRecord {
  readonly startedAt: number;
  /** Changes after this moment are not of the run. */
  readonly until: number;
  readonly isOwn: (path: string) => boolean;
  readonly seen: Map<string, { stamp: string; count: number }>;
  readonly held: HeldBack[];
}

/** Timers of file systems lag behind the clock. */
const slackMs = 5000;
/** A file that keeps changing is not waited for longer than this many looks. */
const maxLooks = 3;

/** Prepare to judge what commands change. */
export function createRunJudge(options: RunJudgeOptions): RunJudge {
  const { held, records, accepted, roots, gitFolders, now } = options;
  const reader = createSnapshotReader();
  const inside = [...roots, ...gitFolders];
  const isInside = (path: string): boolean => {
    const real = realPathOf(path);
    return inside.some((root) => isWithin(real, root));
  };
  const pathsNow = (surveyed: readonly SurveyedPath[], before?: ReadonlyMap<string, Snapshot>) =>
    judgedPaths(surveyed, gitFolders, {
      isInside,
      settingsOf: (path) => textOf((before ?? reader.read([path])).get(path)),
    });
  // One look at a time: two that find the same change would both tell of it.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const mine = turn.then(act, act);
    turn = mine.catch(() => {});
    return mine;
  };

  const look = async (run: Run, moment: "running" | "ended"): Promise<void> => {
    const surveyed = await surveyReadable(run);
    const judged = pathsNow(surveyed, run.before);
    const paths = new Set([...run.before.keys(), ...judged.keys()]);
    const after = reader.read(paths);
    const newFolders = surveyed.filter(({ path, kind }) => kind === "directory" && !knows(run, path));
    for (const path of paths) {
      const about = judged.get(path) ?? run.judged.get(path);
      const verdict = about && judgePath(run, about, after.get(path));
      if (verdict === undefined || !verdict.held) continue;
      if (moment === "running" && !isStill(run, path, after.get(path))) continue;
      hold(run, path, verdict);
      removeEmpty(
        dirname(path),
        (at) => !newFolders.some((folder) => folder.what === "named" && isWithin(at, folder.path)),
      );
    }
  };

  /** A folder whose name cannot be written down gets another one, or nothing in it could be judged. */
  const surveyReadable = async (run: Run): Promise<readonly SurveyedPath[]> => {
    const surveyed = await options.survey();
    const renamed = renameUndecodable(surveyed, (path) => knows(run, path));
    for (const path of renamed) {
      const reason = "its name is not valid UTF-8, so it was renamed to judge what lies in it";
      run.held.push({ path: held.showPath(path), reason, rule: "name" });
    }
    return renamed.length === 0 ? surveyed : options.survey();
  };

  const judgePath = (run: Run, about: JudgedPath, after: Snapshot | undefined): ChangeVerdict | undefined => {
    const before = run.before.get(about.path);
    if (before?.stamp === after?.stamp || run.isOwn(about.path)) return undefined;
    if (after !== undefined && after.changedMs > run.until) return undefined;
    if (accepted.covers(about.path, after, run.startedAt)) return undefined;
    return judgeChange({ ...about, before: before?.content, after: after?.content }, { isInside });
  };

  const hold = (run: Run, path: string, verdict: Extract<ChangeVerdict, { held: true }>): void => {
    const { reason, rule } = verdict;
    const item = takeAside(held.store, {
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
    begin({ origin, surveyed, isMounted }) {
      const judged = pathsNow(surveyed);
      const before = reader.read(judged.keys());
      const id = randomBytes(8).toString("hex");
      const mayChange = consentTo(origin.changes, surveyed);
      const run: Run = {
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
        async look(moment) {
          await inTurn(() => look(run, moment));
          if (moment === "running") records.touch(id);
          // Others that run meanwhile must not take what this one was let to change for theirs.
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
          if (livedUntil > 0) await look({ ...record, ...rest }, "ended");
          records.remove(id);
        }
      }),
  };
}

/** Whether a path is among those that the policy has judged as changes of the line itself. */
function consentTo(changes: readonly string[], surveyed: readonly SurveyedPath[]): (path: string) => boolean {
  // A folder counts for what is in it only where it is itself one that asks.
  const folders = changes.filter((change) =>
    surveyed.some(({ what, path }) => what === "named" && isWithin(change, path)),
  );
  return (path) => changes.includes(path) || folders.some((folder) => isWithin(path, folder));
}

function knows(run: RunRecord, folder: string): boolean {
  for (const path of run.before.keys()) if (isWithin(path, folder)) return true;
  return false;
}

/** Whether nobody is writing it just now: half a file would be kept. */
function isStill(run: Run, path: string, after: Snapshot | undefined): boolean {
  if (after === undefined) return false;
  const last = run.seen.get(path);
  const count = (last?.count ?? 0) + 1;
  run.seen.set(path, { stamp: after.stamp, count });
  return last?.stamp === after.stamp || count >= maxLooks;
}

function textOf(snapshot: Snapshot | undefined): string | undefined {
  return snapshot?.content.kind === "file" ? Buffer.from(snapshot.content.bytes).toString("utf8") : undefined;
}
