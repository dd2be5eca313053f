import { basename, join } from "node:path";
import type { HeldChange } from "../../contract/ports/layers.js";
import { isWithin } from "../files/path-text.js";
import { entryAt, isWhiteout } from "../sandbox/layer/entry-state.js";
import type { CommandLayer, EntryState, LayerChange, LayerPath } from "../sandbox/layer/layer-types.js";
import { createGitJudge, type GitJudge } from "./git-verdicts.js";
import { commit, createNameJudge, type LayerRules, type NameJudge, type Verdict } from "./name-verdict.js";
import { walkWorkspace } from "./walk-workspace.js";

export type Hold = Extract<Verdict, { kind: "hold" }>;

/** A change with its verdict. */
export interface JudgedChange {
  readonly change: LayerChange;
  readonly verdict: Verdict;
  /** Of a folder that is committed: what in it is held back, by path. */
  readonly heldBelow: ReadonlyMap<string, Hold>;
  /** Of a folder that is created or replaced: how many files are in it. */
  readonly files: number;
}

const setIdBits = 0o6000;

/** Judge every change of a layer by the rules that bind tools, and by what git and other programs run later. */
export async function judgeLayer(layer: CommandLayer, rules: LayerRules): Promise<JudgedChange[]> {
  const { workspace } = rules;
  const names = createNameJudge(rules);
  const changes: LayerChange[] = [];
  for await (const change of layer.changes()) changes.push(change);
  const git = createGitJudge({ workspace, upper: layer.upper, stateOf: stateIn(layer, changes) });
  const judged: JudgedChange[] = [];
  for (const change of changes) judged.push(await judgeOne({ layer, names, git, workspace }, change));
  const held = git.verdicts();
  return held.size === 0 ? judged : judged.map((each) => withGit(each, held));
}

/** What is held back of a change, with what is inside it. */
export function heldChanges({ change, verdict, heldBelow }: JudgedChange): HeldChange[] {
  const all = new Map(heldBelow);
  if (verdict.kind === "hold") all.set(change.path, verdict);
  return [...all].map(([path, { reason, rule, asks }]) => ({
    path,
    reason,
    rule,
    ...(asks === true && { asks }),
  }));
}

interface JudgeDeps {
  readonly layer: CommandLayer;
  readonly names: NameJudge;
  readonly git: GitJudge;
  readonly workspace: string;
}

async function judgeOne(deps: JudgeDeps, change: LayerChange): Promise<JudgedChange> {
  const { names, git } = deps;
  const own = judgeEntry(change, change.after) ?? names.judge(change.path);
  git.add(change.path);
  const none = { change, heldBelow: new Map<string, Hold>(), files: 0 };
  if (own.kind === "hold") return { ...none, verdict: own };
  const removed = isFolder(change.before) && (change.kind === "removed" || change.kind === "replaced");
  const taken = removed ? await judgeRemoved(deps, change) : undefined;
  if (taken !== undefined) return { ...none, verdict: taken };
  if (!isFolder(change.after) || change.kind === "attributes") return { ...none, verdict: own };
  return { change, ...(await judgeBelow(deps, change)) };
}

function isFolder(state: EntryState | undefined): boolean {
  return state?.kind === "folder";
}

const ownerRights = 0o500;

function isReadable({ mode }: EntryState): boolean {
  return process.getuid?.() === 0 || (mode & ownerRights) === ownerRights;
}

/** What an entry is, apart from its path. */
function judgeEntry({ bytes }: Partial<LayerPath>, state: EntryState | undefined): Hold | undefined {
  if (bytes !== undefined) {
    return { kind: "hold", reason: "its name is not valid UTF-8", rule: "name", final: true };
  }
  if (state?.kind === "special") {
    return { kind: "hold", reason: "it is a FIFO, a socket or a device", rule: "kind", final: true };
  }
  if (state?.kind === "folder" && !isReadable(state)) {
    const reason = "its owner cannot read it, so that what it contains cannot be judged later";
    return { kind: "hold", reason, rule: `mode ${state.mode.toString(8)}` };
  }
  if (state?.kind !== "file" || (state.mode & setIdBits) === 0) return undefined;
  const reason = "it would run with the rights of its owner or group";
  return { kind: "hold", reason, rule: `mode ${state.mode.toString(8)}` };
}

/** A folder that is removed: as for tools, everything in it counts. */
async function judgeRemoved({ names, workspace }: JudgeDeps, change: LayerChange): Promise<Hold | undefined> {
  for await (const path of walkWorkspace(join(workspace, change.path))) {
    const relative = path.slice(workspace.length + 1);
    if (!names.mayMatch(basename(path))) continue;
    const verdict = names.judge(relative);
    if (verdict.kind === "hold") return { ...verdict, reason: `it contains ${relative}: ${verdict.reason}` };
  }
  return undefined;
}

/** A folder that is new as a whole: most of it can be committed by one rename. */
async function judgeBelow(
  { layer, names, git }: JudgeDeps,
  change: LayerChange,
): Promise<Omit<JudgedChange, "change">> {
  const heldBelow = new Map<string, Hold>();
  let files = 0;
  let skipped: string | undefined;
  for await (const entry of layer.entriesBelow(change)) {
    if (entry.state.kind !== "folder") files += 1;
    if (skipped !== undefined && isWithin(entry.path, skipped)) continue;
    const name = entry.path.slice(entry.path.lastIndexOf("/") + 1);
    // A name that cannot be shown is moved along with its folder.
    const verdict = judgeEntry({}, entry.state) ?? (names.mayMatch(name) ? names.judge(entry.path) : commit);
    if (isGitName(name)) git.add(entry.path);
    if (verdict.kind !== "hold") continue;
    if (entry.bytes !== undefined) return { verdict: asWhole(entry.path, verdict), heldBelow, files };
    heldBelow.set(entry.path, verdict);
    if (entry.state.kind === "folder") skipped = entry.path;
  }
  return { ...settle(change, heldBelow), files };
}

/** What is held back inside a folder that hides another one cannot be separated from it. */
function settle(
  change: LayerChange,
  heldBelow: ReadonlyMap<string, Hold>,
): Pick<JudgedChange, "verdict" | "heldBelow"> {
  const [first] = heldBelow;
  if (change.kind !== "replaced" || first === undefined) return { verdict: commit, heldBelow };
  return { verdict: asWhole(...first), heldBelow: new Map() };
}

function asWhole(path: string, verdict: Hold): Hold {
  return { ...verdict, reason: `it contains ${path}: ${verdict.reason}` };
}

function isGitName(name: string): boolean {
  return name === "HEAD" || name.toLowerCase().startsWith(".git");
}

function withGit(judged: JudgedChange, held: ReadonlyMap<string, Verdict>): JudgedChange {
  const { change, verdict } = judged;
  const own = held.get(change.path);
  if (verdict.kind === "hold") return judged;
  if (own !== undefined) return { ...judged, verdict: own };
  const below = [...held].filter(([path]) => path !== change.path && isWithin(path, change.path));
  if (below.length === 0) return judged;
  // A repository that is removed as a whole obeys nothing any more.
  if (change.kind === "removed") return judged;
  const heldBelow = new Map(judged.heldBelow);
  for (const [path, each] of below) if (each.kind === "hold") heldBelow.set(path, each);
  return { ...judged, ...settle(change, heldBelow) };
}

/** Whether the command changed a path, from the list of its changes. */
function stateIn(
  layer: CommandLayer,
  changes: readonly LayerChange[],
): (path: string) => "same" | "changed" | "gone" {
  const whole = new Map(
    changes.filter(({ kind }) => kind !== "attributes").map((change) => [change.path, change]),
  );
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const change = whole.get(path.slice(0, end));
      if (change === undefined) continue;
      if (change.kind === "removed") return "gone";
      const entry = entryAt(join(layer.upper, path));
      return entry === undefined || isWhiteout(entry.stats) ? "gone" : "changed";
    }
    return "same";
  };
}
