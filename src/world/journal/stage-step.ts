import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { toToolError } from "../files/file-errors.js";
import { createFlushes } from "./stage-file.js";
import { withOpenPath, type OpenPath } from "./open-path.js";
import type { Content } from "./plan.js";
import { stageFile, type Flush } from "./stage-file.js";
import type { SourceDeps } from "./sources.js";
import { finishDirectory, unpackTree } from "./unpack-tree.js";

/** What is prepared, for which path, and how it is flushed. */
export interface Staging {
  readonly content: Content;
  /** The path to name in errors. */
  readonly text: string;
  /** Flushes a file's bytes, now or later. @default at once */
  readonly flush?: Flush;
}

/** Prepare a content under a temporary name. */
export async function stageContent(deps: SourceDeps, temp: string, staging: Staging): Promise<void> {
  try {
    await withOpenPath(deps.opener, temp, (target) => make(deps, target, staging));
  } catch (error) {
    throw toToolError(error, staging.text);
  }
}

async function make(deps: SourceDeps, target: OpenPath, { content, text, flush }: Staging): Promise<void> {
  const { image } = content;
  if (image.type === "symlink") return symlinkSync(Buffer.from(image.target, "latin1"), target.at);
  if (image.type === "file") {
    const source = "source" in content ? content.source : ({ kind: "blob", hash: image.hash } as const);
    return stageFile(deps, target.at, { image, source, text, ...(flush !== undefined && { flush }) });
  }
  mkdirSync(target.at, image.mode === undefined ? {} : { mode: 0o700 });
  const top = deps.opener.openChild(target.directory, path.basename(target.real), target.real);
  try {
    const tree = "tree" in content ? content.tree : undefined;
    if (tree !== undefined) await unpackTree(deps, top, { ...tree, text });
    const flushes = createFlushes();
    await finishDirectory(top, image, flushes.add);
    await flushes.end();
  } finally {
    top.close();
  }
}
