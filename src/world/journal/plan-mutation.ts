import { hash } from "node:crypto";
import type { FileMutation } from "../../contract/ports/files.js";
import type { NodeAttributes } from "../../contract/ports/journal.js";
import { writeTooLarge } from "../../contract/write-too-large.js";
import {
  fileConflict,
  fileNotFound,
  notRegularFile,
  systemFailure,
  toToolError,
} from "../files/file-errors.js";
import { attributesOf, fileImage } from "./images.js";
import { judgeMovedTree, resolveRealPath } from "./resolve-real-path.js";
import { planMove } from "./plan-move.js";
import { joinedBytes, previousOfSplice, previousOfWrite, sourceAfter } from "./plan-splice.js";
import { checkContent, checkIdentity, emptyDirectory, planParents } from "./plan-content.js";
import { setAside, type SetAsideDeps } from "./set-aside.js";
import type { PreviousContent, Plan } from "./plan.js";
import { digestSource, readBytes, type Source } from "./sources.js";
import type { VirtualNode } from "./virtual-files.js";

/** The rules and limits for mutations. */
export interface MutationDeps extends SetAsideDeps {
  readonly maxFileSize: number;
}

type Mutation<Op extends FileMutation["op"]> = Extract<FileMutation, { op: Op }>;

/** Plan a mutation on the outcome of the previous ones; one that cannot work is refused here. */
export async function planMutation(deps: MutationDeps, plan: Plan, mutation: FileMutation): Promise<void> {
  try {
    switch (mutation.op) {
      case "write":
        return await planWrite(deps, plan, mutation);
      case "splice":
        return await planSplice(deps, plan, mutation);
      case "append":
        return await planAppend(deps, plan, mutation);
      case "delete":
        return await planDelete(deps, plan, mutation);
      case "move":
        return await planMove(deps, plan, mutation);
      case "copy":
        return await planCopy(deps, plan, mutation);
      case "mkdir":
        return await planMkdir(deps, plan, mutation);
    }
  } catch (error) {
    throw toToolError(error, "path" in mutation ? mutation.path : mutation.to);
  }
}

async function planWrite(deps: MutationDeps, plan: Plan, mutation: Mutation<"write">): Promise<void> {
  const { path: text, data, options = {} } = mutation;
  const real = resolveRealPath(deps, text, { access: "write" });
  const node = plan.files.look(real, "write");
  checkSize(text, data.length, deps);
  checkTarget(text, node);
  if (node !== null && options.create === true) throw systemFailure(text, "EEXIST");
  checkIdentity(text, node, options.ifIdentity);
  const before = options.ifContent;
  const previous = before && (await previousOfWrite(plan, node, { text, before, data }));
  if (previous === undefined) await checkContent(plan.deps, { text, node, wanted: before });
  const attributes = {
    ...keptAttributes(node),
    ...(options.mode !== undefined && { mode: options.mode & 0o777 }),
  };
  const source = { kind: "data", data } as const;
  await putFile(deps, plan, { real, node, text, op: "write", source, attributes, previous });
}

async function planSplice(deps: MutationDeps, plan: Plan, mutation: Mutation<"splice">): Promise<void> {
  const { path: text, before, splices, mode } = mutation;
  const real = resolveRealPath(deps, text, { access: "write" });
  const node = plan.files.look(real, "write");
  const source = sourceAfter(mutation);
  checkSize(text, sizeOf(source), deps);
  checkTarget(text, node);
  const attributes = { ...keptAttributes(node), ...(mode !== undefined && { mode: mode & 0o777 }) };
  const pieces = source.kind === "pieces" ? source.pieces : [source.data];
  const previous = await previousOfSplice(plan, node, { text, before, pieces, splices });
  if (previous === undefined) await checkContent(plan.deps, { text, node, wanted: before });
  await putFile(deps, plan, { real, node, text, op: "write", source, attributes, previous });
}

async function planAppend(deps: MutationDeps, plan: Plan, mutation: Mutation<"append">): Promise<void> {
  const { path: text, data } = mutation;
  const real = resolveRealPath(deps, text, { access: "write" });
  const node = plan.files.look(real, "write");
  checkTarget(text, node);
  checkIdentity(text, node, mutation.ifIdentity);
  checkSize(text, data.length + (node?.type === "file" ? node.size : 0), deps);
  const attributes = keptAttributes(node);
  if (node?.type !== "file" || node.size + data.length > joinedBytes) {
    const source: Source =
      node?.type === "file" ? { kind: "joined", first: node.source, rest: data } : { kind: "data", data };
    return putFile(deps, plan, { real, node, text, op: "append", source, attributes });
  }
  const before = await readBytes(plan.deps, node.source);
  const pieces = [before, data];
  const splices = [{ start: before.length, end: before.length, data }];
  const previous = await previousOfSplice(plan, node, { text, before, pieces, splices });
  const source = { kind: "data", data: Buffer.concat(pieces) } as const;
  await putFile(deps, plan, { real, node, text, op: "append", source, attributes, previous });
}

async function planDelete(deps: MutationDeps, plan: Plan, mutation: Mutation<"delete">): Promise<void> {
  const { path: text, recursive = false, ifIdentity } = mutation;
  const real = resolveRealPath(deps, text, { access: "remove", follow: false });
  const node = plan.files.look(real);
  if (node === null) throw fileNotFound(text);
  checkIdentity(text, node, ifIdentity);
  await checkContent(plan.deps, { text, node, wanted: mutation.ifContent });
  if (node.type === "directory" && !recursive) {
    throw fileConflict(text, "is a directory; only a recursive delete removes it");
  }
  await judgeMovedTree(deps, node, { text, to: real });
  if (await setAside(deps, plan, { real, node, meaning: { op: "delete", text } })) return;
  await plan.set(real, null, { op: "delete", text });
}

async function planCopy(deps: MutationDeps, plan: Plan, mutation: Mutation<"copy">): Promise<void> {
  const { from, to, overwrite = false } = mutation;
  const source = plan.files.look(resolveRealPath(deps, from, { access: "read" }));
  if (source === null) throw fileNotFound(from);
  if (source.type === "directory") throw systemFailure(from, "EISDIR");
  if (source.type !== "file") throw notRegularFile(from);
  checkIdentity(from, source, mutation.ifIdentity);
  const real = resolveRealPath(deps, to, { access: "write" });
  const node = plan.files.look(real, "write");
  checkTarget(to, node);
  if (node !== null && !overwrite) throw systemFailure(to, "EEXIST");
  const mode = source.mode === undefined ? {} : { mode: source.mode & 0o777 };
  const attributes = node === null ? mode : keptAttributes(node);
  await setAside(deps, plan, { real, node, meaning: { op: "copy", text: to, implied: true } });
  await putFile(deps, plan, { real, text: to, op: "copy", source: source.source, attributes });
}

async function planMkdir(deps: MutationDeps, plan: Plan, mutation: Mutation<"mkdir">): Promise<void> {
  const { path: text } = mutation;
  const real = resolveRealPath(deps, text, { access: "write" });
  const node = plan.files.look(real);
  if (node?.type === "directory") return;
  if (node !== null) throw systemFailure(text, "EEXIST");
  await planParents(deps, plan, { real, text, op: "mkdir" });
  await plan.set(real, emptyDirectory, { op: "mkdir", text });
}

interface Put {
  readonly real: string;
  /** What is there, if that is known. */
  readonly node?: VirtualNode | null;
  readonly text: string;
  readonly op: string;
  readonly source: Source;
  readonly attributes: NodeAttributes;
  readonly previous?: PreviousContent | undefined;
}

async function putFile(deps: MutationDeps, plan: Plan, put: Put): Promise<void> {
  const { real, node, text, op, source, attributes, previous } = put;
  const meaning = { op, text, ...(node !== undefined && { node }) };
  if (node === null || node === undefined) await planParents(deps, plan, put);
  if (previous !== undefined) {
    const image = fileImage(attributes, { hash: "", size: sizeOf(source) });
    return plan.set(real, { image, source, previous }, meaning);
  }
  const ref =
    source.kind === "data"
      ? { hash: hash("sha256", source.data), size: source.data.length }
      : await digestSource(plan.deps, source);
  await plan.set(real, { image: fileImage(attributes, ref), source }, meaning);
}

function sizeOf(source: Source): number {
  if (source.kind === "data") return source.data.length;
  return source.kind === "pieces" ? source.pieces.reduce((sum, piece) => sum + piece.length, 0) : 0;
}

/** Only regular files can get new content. */
function checkTarget(text: string, node: VirtualNode | null): void {
  if (node?.type === "directory") throw systemFailure(text, "EISDIR");
  if (node !== null && node.type !== "file") throw notRegularFile(text);
}

function checkSize(text: string, size: number, { maxFileSize }: MutationDeps): void {
  if (size > maxFileSize) throw writeTooLarge(text, size, maxFileSize);
}

/** As on any write, set-id bits are dropped. */
function keptAttributes(node: VirtualNode | null): NodeAttributes {
  if (node === null) return {};
  const { mode } = node;
  return { ...attributesOf(node), ...(mode !== undefined && { mode: mode & 0o777 }) };
}
