import path from "node:path";
import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { ToolError, ToolValidationError } from "../../contract/errors.js";
import type { Resource } from "../../contract/resources.js";
import type { FilePatch } from "../../text/file-patch.js";
import { changeFiles, previewChange } from "./change-files.js";
import { checkPath } from "./layers.js";
import { noChange } from "./layer-errors.js";
import { planDiff, type DiffResult } from "./plan-diff.js";

/** The result of applying a diff or patch. */
export const diffOutput = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      action: z.enum(["modify", "create", "delete", "rename", "copy"]),
      from: z.string().optional(),
      hunks: z.number(),
      added: z.number().describe("Number of added lines."),
      removed: z.number().describe("Number of removed lines."),
    }),
  ),
  diff: z.string().describe("The diff that was applied."),
});

/** Where the paths of a patch start, as after `cd` in a shell. */
export const patchFolder = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe("The folder that the paths in the patch start from. Default: the workspace.");

/** The methods of a tool whose input is a text that describes changes of files. */
export function diffMethods<Input extends object>(
  parseInput: (input: Input) => FilePatch[],
  folderOf: (input: Input) => string | undefined = () => undefined,
) {
  // The stages of a call get the same input: it is parsed once.
  const parsed = new WeakMap<Input, FilePatch[]>();
  const parse = (input: Input): FilePatch[] => {
    const patches = parsed.get(input) ?? placeBelow(folderOf(input), parseInput(input));
    parsed.set(input, patches);
    return patches;
  };
  const read = async (input: Input, ctx: ToolContext): Promise<FilePatch[]> => {
    const patches = parseOrRefuse(() => parse(input));
    const folder = folderOf(input);
    if (folder !== undefined) await requireFolder(ctx, folder);
    checkPatches(patches, ctx);
    return patches;
  };
  return {
    resources: (input: Input) => resourcesOf(() => parse(input)),
    async checkPermissions(input: Input, ctx: ToolContext) {
      await read(input, ctx);
      return { behavior: "allow" as const };
    },
    preview: async (input: Input, ctx: ToolContext) =>
      previewChange(ctx, await planDiff(await read(input, ctx), ctx)),
    async execute(input: Input, ctx: ToolContext): Promise<DiffResult> {
      const patches = await read(input, ctx);
      try {
        return await changeFiles(ctx, () => planDiff(patches, ctx));
      } finally {
        // The input lives as long as the answer, whose text is made of it; the patches are much larger.
        parsed.delete(input);
      }
    },
  };
}

function placeBelow(folder: string | undefined, patches: FilePatch[]): FilePatch[] {
  if (folder === undefined) return patches;
  // Not normalized: `files.strict.noParent` has to see a ".." in the name.
  const above = folder.endsWith("/") ? folder : `${folder}/`;
  const place = (name: string): string => (path.isAbsolute(name) ? name : above + name);
  return patches.map(({ oldPath, newPath, ...rest }) => ({
    ...rest,
    ...(oldPath !== undefined && { oldPath: place(oldPath) }),
    ...(newPath !== undefined && { newPath: place(newPath) }),
  }));
}

/** One line per changed file. */
export function renderDiffed({ files }: DiffResult): string {
  const lines = files.map(({ path, action, from, added, removed }) => {
    const source = from === undefined ? "" : ` from ${from}`;
    return `${verbs[action]} ${path}${source} (+${added} -${removed})`;
  });
  return lines.join("\n");
}

const verbs = { modify: "Edited", create: "Created", delete: "Deleted", rename: "Renamed", copy: "Copied" };

/** An inconsistent or empty diff fails at layer 1. */
function parseOrRefuse(parse: () => FilePatch[]): FilePatch[] {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message, code, hint = "Send a unified diff.", details } = error;
    throw new ToolValidationError(message, { code, hint, details: { ...details, errorCode: 1, layer: 1 } });
  }
}

/** As a shell that cannot change to a folder: nothing is created in one that is missing. */
async function requireFolder({ files }: ToolContext, cwd: string): Promise<void> {
  const stat = await files.stat(cwd);
  if (stat?.type === "directory") return;
  const problem = stat === null ? "does not exist" : "is not a folder";
  throw new ToolValidationError(`The folder ${JSON.stringify(cwd)} ${problem}, so nothing was changed.`, {
    code: stat === null ? "RESOURCE_NOT_FOUND" : "PATH_INVALID",
    hint: "Name the folder that the paths in the patch start from, or leave it out and write paths from the workspace.",
    details: { argument: "cwd", errorCode: 2, layer: 2 },
  });
}

/** Layers 1 and 2 for every file. */
function checkPatches(patches: readonly FilePatch[], ctx: ToolContext): void {
  for (const patch of patches) if (changesNothing(patch)) throw noChange(emptyDiffMessage(patch));
  for (const { kind, oldPath, newPath } of patches) {
    if (oldPath !== undefined) checkPath(ctx, oldPath, kind === "copy" ? "read" : "write");
    if (newPath !== undefined && newPath !== oldPath) checkPath(ctx, newPath);
  }
}

function changesNothing({ kind, hunks, newMode, oldMode }: FilePatch): boolean {
  if (kind !== "modify" || (newMode !== undefined && newMode !== oldMode)) return false;
  return hunks.every(({ lines }) => lines.every(({ sign }) => sign === " "));
}

function emptyDiffMessage({ oldPath }: FilePatch): string {
  return `The diff changes nothing in ${JSON.stringify(oldPath ?? "")}: its hunks have no line that starts with + or -.`;
}

/** An invalid diff has no resources; the tool refuses it in its checks. */
function resourcesOf(parse: () => FilePatch[]): { reads?: Resource[]; writes?: Resource[] } {
  let patches: FilePatch[];
  try {
    patches = parse();
  } catch {
    return {};
  }
  const reads = patches.flatMap(({ kind, oldPath }) =>
    kind === "copy" && oldPath !== undefined ? [oldPath] : [],
  );
  const writes = patches.flatMap(({ kind, oldPath, newPath }) => [
    ...(oldPath === undefined || kind === "copy" ? [] : [oldPath]),
    ...(newPath === undefined ? [] : [newPath]),
  ]);
  const toPaths = (names: readonly string[]): Resource[] => [...new Set(names)].map((path) => ({ path }));
  return { reads: toPaths(reads), writes: toPaths(writes) };
}
