import { basename, join } from "node:path";
import type { HeldChange } from "../../contract/ports/layers.js";
import { isWithin } from "../files/path-text.js";
import { toShownPath } from "../files/raw-path.js";
import { entryAt, isWhiteout } from "../sandbox/layer/entry-state.js";
import type {
  CommandLayer,
  EntryState,
  LayerChange,
  LayerEntry,
  LayerPath,
} from "../sandbox/layer/layer-types.js";
import { createGitJudge, lostRepository, type GitJudge } from "./git-verdicts.js";
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
/** Shared: a command can change hundreds of thousands of files. */
const nothingHeld: ReadonlyMap<string, Hold> = new Map();

/**
 * Judge every change of a layer by the rules that bind tools, and by what git and other programs run later. A folder that
 * hides another one is judged as a whole, unless something in one of them is held back.
 */
export async function judgeLayer(layer: CommandLayer, rules: LayerRules): Promise<JudgedChange[]> {
  for (;;) {
    const judged = await judgeOnce(layer, rules);
    const mixed = judged.filter(({ change, heldBelow }) => isSplittable(change) && heldBelow.size > 0);
    if (mixed.length === 0) return judged;
    for (const { change, heldBelow } of mixed) await layer.split(change, [...heldBelow.keys()]);
  }
}

/** Make changes of their own of paths inside folders that are replaced as a whole. */
export async function separate(layer: CommandLayer, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const replaced: LayerChange[] = [];
  for await (const change of layer.changes()) if (isSplittable(change)) replaced.push(change);
  for (const change of replaced) {
    const inside = paths.filter((path) => path !== change.path && isWithin(path, change.path));
    if (inside.length > 0) await layer.split(change, inside);
  }
}

function isSplittable({ kind, before, after }: LayerChange): boolean {
  return kind === "replaced" && isFolder(before) && isFolder(after);
}

async function judgeOnce(layer: CommandLayer, rules: LayerRules): Promise<JudgedChange[]> {
  const { workspace } = rules;
  const all: LayerChange[] = [];
  for await (const change of layer.changes()) all.push(change);
  if (all.length === 0) return [];
  const names = createNameJudge(rules);
  const closed = all.filter(({ kind, after }) => kind === "attributes" && after && !isReadable(after.mode));
  const closedAbove = ({ path }: LayerPath): LayerChange | undefined =>
    closed.find((folder) => folder.path !== path && isWithin(path, folder.path));
  const isClosed = closed.length > 0;
  const changes = isClosed ? all.filter((change) => closedAbove(change) === undefined) : all;
  const filled = new Set(isClosed ? all.map(closedAbove) : []);
  const git = createGitJudge({ workspace, upper: layer.upper, stateOf: stateIn(layer, changes) });
  const judged: JudgedChange[] = [];
  for (const change of changes) {
    const each = await judgeOne({ layer, names, git, workspace }, change);
    judged.push(filled.has(change) ? { ...each, verdict: closedFolder } : each);
  }
  const held = new Map([...git.verdicts()].filter(([path]) => !names.isOpened(path)));
  return held.size === 0 ? judged : judged.map((each) => withGit(each, held));
}

/** What is held back of a change, with what is inside it. */
export function heldChanges({ change, verdict, heldBelow }: JudgedChange): HeldChange[] {
  const all = new Map(heldBelow);
  if (verdict.kind === "hold") all.set(change.path, verdict);
  return [...all].map(([path, { reason, rule, asks, final }]) => ({
    path,
    reason,
    rule,
    ...(asks === true && { asks }),
    ...(final === true && { final }),
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
  const isLink = change.after?.kind === "link";
  const own =
    judgeEntry(change, change.after) ?? (isLink ? names.judgeLink(change.path) : names.judge(change.path));
  const none = { change, heldBelow: nothingHeld, files: 0 };
  if (own.kind === "hold") return { ...none, verdict: own };
  git.add(change.path, isFolder(change.before) || isFolder(change.after));
  const isRemoved = isFolder(change.before) && (change.kind === "removed" || change.kind === "replaced");
  const taken = isRemoved ? await judgeRemoved(deps, change) : nothingHeld;
  const [first] = taken;
  if (first !== undefined && !isSplittable(change)) return { ...none, verdict: asWhole(...first) };
  if (!isFolder(change.after) || change.kind === "attributes") return { ...none, verdict: own };
  const below = await judgeBelow(deps, change);
  return { change, ...below, heldBelow: new Map([...taken, ...below.heldBelow]) };
}

function isFolder(state: EntryState | undefined): boolean {
  return state?.kind === "folder";
}

const ownerRights = 0o500;

/** Nobody could commit or judge what the command changed in it. */
const closedFolder: Hold = {
  kind: "hold",
  reason: "its owner cannot read it any more, and other changes are in it",
  rule: "mode",
  final: true,
};

function isReadable(mode: number): boolean {
  return process.getuid?.() === 0 || (mode & ownerRights) === ownerRights;
}

/** What an entry is, apart from its path. */
function judgeEntry({ path, bytes }: LayerPath, state: EntryState | undefined): Hold | undefined {
  if (bytes !== undefined && path.split("/").some((name) => isGitName(name))) return unreadableRepository;
  return state && judgeState(state);
}

const unreadableRepository: Hold = {
  kind: "hold",
  reason:
    "it has a repository in a folder whose name is not valid UTF-8, where its settings cannot be judged",
  rule: "name",
  final: true,
};

function judgeState({ kind, mode = ownerRights }: Pick<LayerEntry, "kind" | "mode">): Hold | undefined {
  if (kind === "special") {
    return { kind: "hold", reason: "it is a FIFO, a socket or a device", rule: "kind", final: true };
  }
  if (kind === "folder" && !isReadable(mode)) {
    const reason = "its owner cannot read it, so that what it contains cannot be judged later";
    return { kind: "hold", reason, rule: `mode ${mode.toString(8)}` };
  }
  if (kind !== "file" || (mode & setIdBits) === 0) return undefined;
  const reason = "it would run with the rights of its owner or group";
  return { kind: "hold", reason, rule: `mode ${mode.toString(8)}` };
}

/** What is held back of a folder that is removed: as for tools, everything in it counts. */
async function judgeRemoved(
  { names, workspace }: JudgeDeps,
  change: LayerChange,
): Promise<ReadonlyMap<string, Hold>> {
  const held = new Map<string, Hold>();
  const hasNames = names.hasNames(change.path);
  for await (const path of walkWorkspace(join(workspace, change.path))) {
    const relative = toShownPath(path.slice(workspace.length + 1));
    if (!hasNames && !names.mayMatch(basename(path))) continue;
    const verdict = names.judge(relative);
    if (verdict.kind === "hold") held.set(relative, verdict);
    if (verdict.kind === "hold" && change.kind === "removed") break;
  }
  return held;
}

/** A folder that is new as a whole: most of it can be committed by one rename. */
async function judgeBelow(
  { layer, names, git }: JudgeDeps,
  change: LayerChange,
): Promise<Omit<JudgedChange, "change">> {
  const heldBelow = new Map<string, Hold>();
  const hasNames = names.hasNames(change.path);
  let files = 0;
  let skipped: string | undefined;
  for await (const entries of layer.entriesBelow(change)) {
    for (const entry of entries) {
      if (entry.kind !== "folder") files += 1;
      if (skipped !== undefined && isWithin(entry.path, skipped)) continue;
      // A name that cannot be shown is moved along with its folder.
      const { name } = entry;
      const isHidden = entry.bytes !== undefined && isGitName(name);
      const own = isHidden ? unreadableRepository : judgeState(entry);
      const verdict =
        own ?? (hasNames && entry.kind !== "link" ? names.judge(entry.path) : judgeName(names, entry));
      if (isGitName(name) && verdict.kind !== "hold") git.add(entry.path);
      if (verdict.kind !== "hold") continue;
      if (entry.bytes !== undefined) return { verdict: asWhole(entry.path, verdict), heldBelow, files };
      heldBelow.set(entry.path, verdict);
      if (entry.kind === "folder") skipped = entry.path;
    }
  }
  return { ...settle(change, heldBelow), files };
}

function judgeName(names: NameJudge, { path, name, kind }: LayerEntry): Verdict {
  if (kind === "link") return names.judgeLink(path);
  return names.mayMatch(name) ? names.judge(path) : commit;
}

/** What is held back inside a folder that replaces a file cannot be separated from it. */
function settle(
  change: LayerChange,
  heldBelow: ReadonlyMap<string, Hold>,
): Pick<JudgedChange, "verdict" | "heldBelow"> {
  const [first] = heldBelow;
  if (change.kind !== "replaced" || isSplittable(change) || first === undefined)
    return { verdict: commit, heldBelow };
  return { verdict: asWhole(...first), heldBelow: new Map() };
}

/** The folder is held back as a whole, so that no part of the file replaces it. */
function asWhole(path: string, verdict: Hold): Hold {
  return { ...verdict, reason: `it contains ${path}: ${verdict.reason}`, instead: undefined };
}

function isGitName(name: string): boolean {
  return name === "HEAD" || (name.startsWith(".") && name.toLowerCase().startsWith(".git"));
}

function withGit(judged: JudgedChange, held: ReadonlyMap<string, Verdict>): JudgedChange {
  const { change, verdict } = judged;
  if (verdict.kind === "hold") return judged;
  const own = held.get(change.path) ?? lostAbove(change.path, held);
  if (own !== undefined) return { ...judged, verdict: own };
  const below = [...held].filter(
    ([path, each]) => path !== change.path && isWithin(path, change.path) && each !== lostRepository,
  );
  if (below.length === 0) return judged;
  // A repository that is removed with its work tree obeys nothing any more.
  if (change.kind === "removed" || change.kind === "attributes") return judged;
  const heldBelow = new Map(judged.heldBelow);
  for (const [path, each] of below) if (each.kind === "hold") heldBelow.set(path, each);
  return { ...judged, ...settle(change, heldBelow) };
}

/** What is left of a repository is as worthless as nothing: its parts stay together. */
function lostAbove(path: string, held: ReadonlyMap<string, Verdict>): Verdict | undefined {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const verdict = held.get(path.slice(0, end));
    if (verdict === lostRepository) return verdict;
  }
  return undefined;
}

/** Whether the command changed a path, from the list of its changes. */
function stateIn(
  layer: CommandLayer,
  changes: readonly LayerChange[],
): (path: string) => "same" | "changed" | "gone" {
  let whole: Map<string, LayerChange> | undefined;
  return (path) => {
    // Only repositories ask.
    whole ??= new Map(
      changes.filter(({ kind }) => kind !== "attributes").map((change) => [change.path, change]),
    );
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
