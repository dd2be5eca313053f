import { accessSync, constants, readlinkSync, type BigIntStats } from "node:fs";
import path from "node:path";
import { errnoOf } from "../../contract/errno.js";
import type { NodeAttributes } from "../../contract/ports/journal.js";
import { readEntries } from "../files/list-directory.js";
import type { Opener } from "../files/opener.js";
import { relativeTo, isWithin } from "../files/path-text.js";
import { toPathText, toSystemPath } from "../files/raw-path.js";
import { movedOrReplaced, openDirectory, openPath, statReal } from "./open-path.js";
import type { Source } from "./sources.js";
import { createStepIndex, type StepIndex } from "./step-index.js";
import type { TreeEntry } from "./tree.js";

/** Where something is on the disk before the first step. */
export interface DiskNode {
  readonly real: string;
  readonly stat: BigIntStats;
}

interface NodeOrigin extends NodeAttributes {
  /** Where it is on the disk. */
  readonly disk?: DiskNode;
  /** The number of the step that will create it. */
  readonly madeBy?: number;
}

/** What will exist at a path after the steps planned so far. */
export type VirtualNode =
  | (NodeOrigin & {
      readonly type: "file";
      readonly size: number;
      readonly source: Source;
      readonly hash?: string;
    })
  | (NodeOrigin & { readonly type: "symlink"; readonly target: string })
  | (NodeOrigin & { readonly type: "directory"; readonly tree?: VirtualTree })
  | (NodeOrigin & { readonly type: "other" });

/** A directory that a step unpacks. */
export interface VirtualTree {
  readonly entries: readonly TreeEntry[];
  readonly pack?: string;
}

/** The files as they will be after the steps planned so far, while the disk is untouched. */
export interface VirtualFiles {
  /** What is at a path. With `write` a file on the disk that this process may not write is refused. */
  look(real: string, access?: "write"): VirtualNode | null;
  /** Names in a directory. */
  names(real: string): Promise<string[]>;
  /** Where a directory is on the disk, if no step changes anything in it. */
  untouched(real: string): string | undefined;
  /** Where a directory itself is on the disk, whatever is changed in it; `undefined` if a step creates it. */
  origin(real: string): string | undefined;
  set(real: string, node: VirtualNode | null): void;
  move(from: string, to: string): void;
  /** Other permissions of a directory. */
  setMode(real: string, mode: number): void;
}

type Rule =
  | { readonly kind: "set"; readonly path: string; readonly node: VirtualNode | null }
  | { readonly kind: "move"; readonly from: string; readonly to: string }
  | { readonly kind: "mode"; readonly path: string; readonly mode: number };

/** Planned steps, and which of them concern a path. */
interface Rules {
  readonly all: Rule[];
  /** Made when first needed: most plans have one step. */
  readonly index: StepIndex;
}

function createRules(): Rules {
  const all: Rule[] = [];
  let index: StepIndex | undefined;
  let indexed = 0;
  return {
    all,
    get index() {
      index ??= createStepIndex();
      for (const rule of all.slice(indexed)) {
        for (const real of rule.kind === "move" ? [rule.from, rule.to] : [rule.path])
          index.add(real, indexed);
        indexed += 1;
      }
      return index;
    },
  };
}

/** Begin with the disk as it is. */
export function createVirtualFiles(opener: Opener): VirtualFiles {
  const rules = createRules();
  return {
    look: (real, access) => lookThrough(rules, opener, { real, access }),
    names: (real) => namesThrough(rules.all, opener, real),
    untouched: (real) => untouchedThrough(rules, real),
    origin: (real) => originThrough(rules, real),
    set: (real, node) => void rules.all.push({ kind: "set", path: real, node }),
    move: (from, to) => void rules.all.push({ kind: "move", from, to }),
    setMode: (real, mode) => void rules.all.push({ kind: "mode", path: real, mode }),
  };
}

interface Look {
  readonly real: string;
  readonly access?: "write" | undefined;
}

/** Go back through the steps: each one either decides, or changes the path to continue with. */
function lookThrough(
  rules: Rules,
  opener: Opener,
  { real, access }: Look,
  limit = rules.all.length,
): VirtualNode | null {
  if (limit === 0) return lookOnDisk(opener, real, access);
  let at = real;
  for (const [seq, rule] of rulesBack(rules, () => at, limit)) {
    if (rule.kind === "mode") {
      if (rule.path !== at) continue;
      const node = lookThrough(rules, opener, { real: at, access }, seq);
      return node && { ...node, mode: rule.mode };
    }
    if (rule.kind === "set") {
      return rule.path === at ? rule.node : lookInTree(rule.node, relativeTo(at, rule.path));
    }
    if (!isWithin(at, rule.to)) return null;
    at = rebase(at, rule.to, rule.from);
  }
  return lookOnDisk(opener, at, access);
}

/** The steps at a path or above it, the last one first; the path may change on the way. */
function* rulesBack(
  { all, index }: Rules,
  at: () => string,
  limit = all.length,
): Generator<readonly [number, Rule]> {
  for (let seq = index.lastAbove(at(), limit); seq >= 0; seq = index.lastAbove(at(), seq)) {
    const rule = all[seq];
    if (rule !== undefined) yield [seq, rule];
  }
}

function lookOnDisk(opener: Opener, real: string, access?: "write"): VirtualNode | null {
  const stat = statReal(opener, real, (found, at) => {
    if (access === "write" && found.isFile()) accessSync(at, constants.W_OK);
  });
  if (stat === null) return null;
  const found = {
    disk: { real, stat },
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
  };
  if (stat.isDirectory()) return { ...found, type: "directory" };
  if (stat.isSymbolicLink()) return { ...found, type: "symlink", target: readLink(opener, real) };
  if (!stat.isFile()) return { ...found, type: "other" };
  return { ...found, type: "file", size: Number(stat.size), source: { kind: "disk", real } };
}

function readLink(opener: Opener, real: string): string {
  const link = openPath(opener, real);
  try {
    return readlinkSync(link.at, "buffer").toString("latin1");
  } catch (error) {
    // It was a link a moment ago.
    if (errnoOf(error) === "EINVAL") throw movedOrReplaced("ESTALE");
    throw error;
  } finally {
    link.directory.close();
  }
}

function lookInTree(node: VirtualNode | null, inner: string): VirtualNode | null {
  if (node?.type !== "directory" || node.tree === undefined) return null;
  const wanted = Buffer.from(toSystemPath(inner)).toString("latin1");
  const { entries, pack } = node.tree;
  const entry = entries.find((each) => each.path === wanted);
  if (entry === undefined) return null;
  const { mode, uid, gid, size, hash, offset = 0, target = "" } = entry;
  const found = { mode, uid, gid, ...(node.madeBy !== undefined && { madeBy: node.madeBy }) };
  if (entry.type === "symlink") return { ...found, type: "symlink", target };
  if (entry.type === "special") return { ...found, type: "other" };
  if (entry.type === "directory") {
    return {
      ...found,
      type: "directory",
      tree: { entries: entriesBelow(entries, wanted), ...(pack && { pack }) },
    };
  }
  const source: Source =
    pack === undefined || size === 0
      ? { kind: "data", data: new Uint8Array() }
      : { kind: "packed", pack, offset, size };
  return { ...found, type: "file", size, source, ...(hash !== undefined && { hash }) };
}

function entriesBelow(entries: readonly TreeEntry[], directory: string): TreeEntry[] {
  const prefix = `${directory}/`;
  return entries
    .filter((entry) => entry.path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
}

async function namesThrough(rules: readonly Rule[], opener: Opener, real: string): Promise<string[]> {
  const decided = new Map<string, boolean>();
  let at = real;
  const decide = (child: string, present: boolean): void => {
    const name = path.basename(child);
    if (path.dirname(child) === at && !decided.has(name)) decided.set(name, present);
  };
  for (const rule of rules.toReversed()) {
    if (rule.kind === "mode") continue;
    if (rule.kind === "set") {
      if (isWithin(at, rule.path)) return combine(namesInTree(rule.node, relativeTo(at, rule.path)), decided);
      decide(rule.path, rule.node !== null);
    } else if (isWithin(at, rule.to)) {
      at = rebase(at, rule.to, rule.from);
    } else {
      decide(rule.to, true);
      decide(rule.from, false);
    }
  }
  return combine(await namesOnDisk(opener, at), decided);
}

function namesInTree(node: VirtualNode | null, inner: string): string[] {
  const directory = inner === "" ? node : lookInTree(node, inner);
  if (directory?.type !== "directory") return [];
  const entries = directory.tree?.entries ?? [];
  return entries
    .filter((entry) => !entry.path.includes("/"))
    .map((entry) => toPathText(Buffer.from(entry.path, "latin1")));
}

async function namesOnDisk(opener: Opener, real: string): Promise<string[]> {
  const handle = openDirectory(opener, real);
  try {
    return (await readEntries(handle)).map((entry) => toPathText(entry.name));
  } finally {
    handle.close();
  }
}

function combine(base: readonly string[], decided: ReadonlyMap<string, boolean>): string[] {
  const added = [...decided].filter(([, present]) => present).map(([name]) => name);
  return [...new Set([...base.filter((name) => decided.get(name) !== false), ...added])];
}

function untouchedThrough({ all, index }: Rules, real: string): string | undefined {
  let at = real;
  for (let limit = all.length; ;) {
    const [above, below] = [index.lastAbove(at, limit), index.lastBelow(at, limit)];
    if (above < 0 && below < 0) return at;
    const rule = all[above];
    if (above < below || rule?.kind !== "move" || !isWithin(at, rule.to)) return undefined;
    at = rebase(at, rule.to, rule.from);
    limit = above;
  }
}

function originThrough(rules: Rules, real: string): string | undefined {
  let at = real;
  for (const [, rule] of rulesBack(rules, () => at)) {
    if (rule.kind === "move" && isWithin(at, rule.to)) at = rebase(at, rule.to, rule.from);
    else if (rule.kind === "set") return undefined;
  }
  return at;
}

function rebase(real: string, from: string, to: string): string {
  return real === from ? to : path.join(to, relativeTo(real, from));
}
