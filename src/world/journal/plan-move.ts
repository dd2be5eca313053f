import path from "node:path";
import type { FileMutation } from "../../contract/ports/files.js";
import {
  fileConflict,
  fileNotFound,
  notRegularFile,
  pathRefused,
  systemFailure,
} from "../files/file-errors.js";
import { isSameFile } from "../files/file-stat.js";
import { isWithin } from "../files/path-text.js";
import { storeImage } from "./images.js";
import type { GuardDeps } from "../files/locate.js";
import { judgeMovedTree, resolveRealPath } from "./resolve-real-path.js";
import { statReal } from "./open-path.js";
import { checkIdentity, planParents } from "./plan-content.js";
import { setAside, type SetAsideDeps } from "./set-aside.js";
import type { Plan } from "./plan.js";
import { toContent } from "./images.js";
import type { VirtualNode } from "./virtual-files.js";

type MoveMutation = Extract<FileMutation, { op: "move" }>;

/** Plan a move of a file, a link itself, or a directory with all in it. */
export async function planMove(deps: SetAsideDeps, plan: Plan, mutation: MoveMutation): Promise<void> {
  const from = resolveRealPath(deps, mutation.from, { access: "remove", follow: false });
  const node = plan.files.look(from);
  if (node === null) throw fileNotFound(mutation.from);
  if (node.type === "other") throw notRegularFile(mutation.from);
  checkIdentity(mutation.from, node, mutation.ifIdentity);
  const to = resolveRealPath(deps, mutation.to, { access: "write", follow: false });
  if (to === from) return;
  if (isWithin(to, from)) throw systemFailure(mutation.to, "EINVAL");
  const target = plan.files.look(to);
  if (target !== null) checkTarget(deps, { mutation, node, target, to });
  const meaning = { op: "move", text: mutation.to };
  // Two names of one file: the other one has its content already.
  if (target !== null && isSameNode(node, target)) return plan.set(from, null, meaning);
  await judgeMovedTree(deps, node, { text: mutation.from, to });
  await planParents(deps, plan, { real: to, ...meaning });
  await setAside(deps, plan, { real: to, node: target, meaning: { ...meaning, implied: true } });
  // What an earlier step makes will be where it makes it.
  const device = node.disk?.stat.dev ?? deviceOf(deps, from);
  if (device === deviceOf(deps, to)) return plan.move(from, to, meaning);
  await planAcross(plan, { from, to, node, mutation });
}

interface Target {
  readonly mutation: MoveMutation;
  readonly node: VirtualNode;
  readonly target: VirtualNode;
  readonly to: string;
}

function checkTarget(deps: GuardDeps, { mutation, node, target, to }: Target): void {
  if (mutation.overwrite !== true) throw systemFailure(mutation.to, "EEXIST");
  if (target.type === "directory")
    throw fileConflict(mutation.to, "is a directory, which a move never replaces");
  if (target.type === "other") throw notRegularFile(mutation.to);
  if (node.type === "directory")
    throw fileConflict(mutation.to, "is a file and would be replaced by a directory");
  const verdict = deps.rules.judge(to, "remove");
  if (!verdict.allowed) throw pathRefused(mutation.to, verdict);
}

function isSameNode(one: VirtualNode, other: VirtualNode): boolean {
  if (one.disk === undefined || other.disk === undefined) return false;
  return isSameFile(one.disk.stat, other.disk.stat);
}

/** A rename cannot cross file systems: plan a copy and a delete. */
async function planAcross(
  plan: Plan,
  { from, to, node, mutation }: { from: string; to: string; node: VirtualNode; mutation: MoveMutation },
): Promise<void> {
  const { image } = await storeImage(plan.deps, { real: from, node, text: mutation.from });
  await plan.set(to, await toContent(plan.deps.blobs, image), { op: "move", text: mutation.to });
  await plan.set(from, null, { op: "move", text: mutation.from });
}

/** The device that a path is, or will be, on. */
function deviceOf(deps: GuardDeps, real: string): bigint | undefined {
  for (let directory = path.dirname(real); ; directory = path.dirname(directory)) {
    const stat = statReal(deps.opener, directory);
    if (stat !== null) return stat.dev;
    if (directory === path.dirname(directory)) return undefined;
  }
}
