import path from "node:path";
import type { FileMutation } from "../../contract/ports/files.js";
import { conflict, notFound, notPlain, refused, systemFailure } from "../files/file-errors.js";
import { isSameFile } from "../files/file-stat.js";
import { isWithin } from "../files/path-text.js";
import { checkIdentity } from "./check-node.js";
import { keepImage } from "./images.js";
import { judgeMoved, locate, type JudgeDeps } from "./locate-real.js";
import { lookDisk } from "./place.js";
import { planParents } from "./plan-parents.js";
import type { Plan } from "./plan.js";
import { toContent } from "./to-content.js";
import type { VirtualNode } from "./virtual-files.js";

type MoveMutation = Extract<FileMutation, { op: "move" }>;

/** Plan a move of a file, a link itself, or a directory with all in it. */
export async function planMove(deps: JudgeDeps, plan: Plan, mutation: MoveMutation): Promise<void> {
  const from = locate(deps, mutation.from, { access: "remove", follow: false });
  const node = plan.files.look(from);
  if (node === null) throw notFound(mutation.from);
  if (node.type === "other") throw notPlain(mutation.from);
  checkIdentity(mutation.from, node, mutation.ifIdentity);
  const to = locate(deps, mutation.to, { access: "write", follow: false });
  if (to === from) return;
  if (isWithin(to, from)) throw systemFailure(mutation.to, "EINVAL");
  const target = plan.files.look(to);
  if (target !== null) checkTarget(deps, { mutation, node, target, to });
  const meaning = { op: "move", text: mutation.to };
  // Two names of one file: the other one has its content already.
  if (target !== null && isSameNode(node, target)) return plan.set(from, null, meaning);
  await judgeMoved(deps, node, { text: mutation.from, to });
  await planParents(deps, plan, { real: to, ...meaning });
  if (node.disk === undefined || node.disk.stat.dev === deviceOf(deps, to)) {
    return plan.move(from, to, meaning);
  }
  await planAcross(plan, { from, to, node, mutation });
}

interface Target {
  readonly mutation: MoveMutation;
  readonly node: VirtualNode;
  readonly target: VirtualNode;
  readonly to: string;
}

function checkTarget(deps: JudgeDeps, { mutation, node, target, to }: Target): void {
  if (mutation.overwrite !== true) throw systemFailure(mutation.to, "EEXIST");
  if (target.type === "directory") throw conflict(mutation.to, "is a directory, which a move never replaces");
  if (target.type === "other") throw notPlain(mutation.to);
  if (node.type === "directory")
    throw conflict(mutation.to, "is a file and would be replaced by a directory");
  const verdict = deps.rules.judge(to, "remove");
  if (!verdict.allowed) throw refused(mutation.to, verdict);
}

function isSameNode(one: VirtualNode, other: VirtualNode): boolean {
  if (one.disk === undefined || other.disk === undefined) return false;
  return isSameFile(one.disk.stat, other.disk.stat);
}

/** No rename crosses file systems: a copy there, and what was here goes. */
async function planAcross(
  plan: Plan,
  { from, to, node, mutation }: { from: string; to: string; node: VirtualNode; mutation: MoveMutation },
): Promise<void> {
  const { image } = await keepImage(plan.deps, { real: from, node, text: mutation.from });
  await plan.set(to, await toContent(plan.deps.blobs, image), { op: "move", text: mutation.to });
  await plan.set(from, null, { op: "move", text: mutation.from });
}

/** The device that a path lies, or will lie, on. */
function deviceOf(deps: JudgeDeps, real: string): bigint | undefined {
  for (let directory = path.dirname(real); ; directory = path.dirname(directory)) {
    const stat = lookDisk(deps.opener, directory);
    if (stat !== null) return stat.dev;
    if (directory === path.dirname(directory)) return undefined;
  }
}
