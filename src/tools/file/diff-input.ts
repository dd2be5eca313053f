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

/** The methods of a tool whose input is a text that describes changes of files. */
export function diffMethods<Input extends object>(parseInput: (input: Input) => FilePatch[]) {
  // The stages of a call get the same input: it is parsed once.
  const parsed = new WeakMap<Input, FilePatch[]>();
  const parse = (input: Input): FilePatch[] => {
    const patches = parsed.get(input) ?? parseInput(input);
    parsed.set(input, patches);
    return patches;
  };
  const read = (input: Input, ctx: ToolContext): FilePatch[] => {
    const patches = parseOrRefuse(() => parse(input));
    checkPatches(patches, ctx);
    return patches;
  };
  return {
    resources: (input: Input) => resourcesOf(() => parse(input)),
    checkPermissions(input: Input, ctx: ToolContext) {
      read(input, ctx);
      return { behavior: "allow" as const };
    },
    preview: async (input: Input, ctx: ToolContext) =>
      previewChange(ctx, await planDiff(read(input, ctx), ctx)),
    execute(input: Input, ctx: ToolContext): Promise<DiffResult> {
      const patches = read(input, ctx);
      return changeFiles(ctx, () => planDiff(patches, ctx));
    },
  };
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
