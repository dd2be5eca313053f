import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import type { CommitReport } from "../../contract/ports/layers.js";
import { byPath, type HeldBackFields } from "./held-back.js";
import { plural } from "../../text/plural.js";

/** The output fields for what a command changed in the workspace. */
export const changeFields = {
  committed: z
    .enum(["all", "part", "none"])
    .optional()
    .describe("How much of what the command changed is in the workspace now. Missing if it changed nothing."),
  changes: z
    .array(
      z.object({
        path: z.string(),
        kind: z.enum(["added", "changed", "removed", "mode"]),
        added: z.number().optional().describe("Lines."),
        removed: z.number().optional(),
        files: z.number().optional().describe("Of a folder: how many files are in it."),
      }),
    )
    .optional()
    .describe("Everything that the command changed, committed or not."),
  diff: z.string().optional().describe("Of the texts among them, cut if it is long."),
  changesFile: z
    .string()
    .optional()
    .describe("Handle for read_result of the complete list and diff, if one of them is long."),
  conflicts: z
    .array(z.object({ path: z.string(), reason: z.string(), diff: z.string().optional() }))
    .optional()
    .describe("Changes that were not committed because somebody else changed the same path meanwhile."),
};

/** The values of these fields. */
export type ChangeFields = z.infer<z.ZodObject<typeof changeFields>> & HeldBackFields;

const maxListed = 100;
const maxNamed = 5;
/** Characters of a diff in a result. */
const maxDiffChars = 20_000;
const maxShown = 20;

/** The fields for a result; empty if the command changed nothing. */
export async function changesOf(
  report: CommitReport | undefined,
  ctx: Pick<ToolContext, "callId" | "outputs">,
): Promise<ChangeFields> {
  if (report?.isGivenUp === true) return { committed: "none" };
  if (report === undefined || report.changes.length === 0) return {};
  const { committed, changes, conflicts, diff } = report;
  const listed = changes.slice(0, maxListed).map(({ ...change }) => withoutUndefined(change));
  const isLong = changes.length > maxListed || diff.length > maxDiffChars;
  return {
    committed,
    changes: listed,
    ...(diff !== "" && { diff: cutDiff(diff) }),
    ...(isLong && { changesFile: await storeChanges(report, ctx) }),
    ...(conflicts.length > 0 && {
      conflicts: conflicts.toSorted(byPath).slice(0, maxListed).map(withoutUndefined),
    }),
    ...(committed !== "all" && { heldBackBy: ctx.callId }),
  };
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}

function cutDiff(diff: string): string {
  if (diff.length <= maxDiffChars) return diff;
  const end = diff.lastIndexOf("\n", maxDiffChars);
  return `${diff.slice(0, end === -1 ? maxDiffChars : end).toWellFormed()}\n\\ The diff goes on and was cut here.\n`;
}

async function storeChanges(
  { changes, diff }: CommitReport,
  { outputs }: Pick<ToolContext, "outputs">,
): Promise<string> {
  const writer = outputs.create();
  const list = changes.map((change) => `${lineOf(change)}\n`).join("");
  await writer.write(Buffer.from(diff === "" ? list : `${list}\n${diff}`));
  return (await writer.finish()).handle;
}

/** The first lines for the model: what is not in the workspace, and how to get it there. */
export function notCommitted(result: ChangeFields, reason: string | undefined): string[] {
  const { committed, conflicts = [], heldBack = [], heldBackBy } = result;
  // What was given up is told by a warning.
  if (committed === undefined || committed === "all" || heldBackBy === undefined) return [];
  const next = `commit_result ${JSON.stringify({ call_id: heldBackBy })}`;
  if (conflicts.length === 0 && heldBack.length === 0) {
    return [`[${reason ?? "nothing was committed"}: nothing is in the workspace; ${next} commits it]`];
  }
  if (conflicts.length === 0) return [];
  const named = conflicts.slice(0, maxNamed).map(({ path, reason: why }) => `${path} (${why})`);
  const more = conflicts.length > maxNamed ? `, and ${conflicts.length - maxNamed} more` : "";
  const diffs = conflicts
    .slice(0, maxNamed)
    .flatMap(({ diff }) => (diff === undefined ? [] : [diff.trimEnd()]));
  return [
    `[conflict, not in the workspace: ${named.join(", ")}${more}; the version of the command is kept: ${next}]`,
    ...diffs,
  ];
}

/** One line on what is in the workspace now. */
export function changesLine({ committed, changes = [], changesFile }: ChangeFields): string[] {
  if (changes.length === 0 || committed === undefined) return [];
  const repositories = new Map<string, number>();
  const own = changes.filter(({ path }) => {
    const repository = gitFolder.exec(path)?.[0];
    if (repository !== undefined) repositories.set(repository, (repositories.get(repository) ?? 0) + 1);
    return repository === undefined;
  });
  // A model has no use for the objects and logs of a repository one by one.
  const summaries = [...repositories].map(([folder, count]) => `${count} in ${folder}`);
  const lines = [...own.map(lineOf), ...summaries];
  const shown = lines.slice(0, maxShown).join(", ");
  const more = lines.length > maxShown ? ", …" : "";
  const handle = changesFile === undefined ? "" : `; all: read_result {"handle":"${changesFile}"}`;
  const verb = committed === "none" ? "would change" : "changed";
  return [`[${verb}: ${shown}${more}${handle}]`];
}

/** The path of a repository's own folder, at the start of what lies in it. */
const gitFolder = /^(?:.*?\/)?\.git(?=\/)/;

const letters = { added: "A", changed: "M", removed: "D", mode: "mode" } as const;

function lineOf({ path, kind, added, removed, files }: CommitReport["changes"][number]): string {
  const lines = [
    ...(added === undefined || added === 0 ? [] : [`+${added}`]),
    ...(removed === undefined || removed === 0 ? [] : [`-${removed}`]),
    ...(files === undefined ? [] : [plural(files, "file")]),
  ];
  return [letters[kind], path, ...lines].join(" ");
}

/**
 * Ask a person about the changes that need consent, as a call of its own. What nobody agrees to stays held back.
 */
export async function askAboutHeld(
  report: CommitReport | undefined,
  ctx: Pick<ToolContext, "call" | "callId">,
): Promise<CommitReport | undefined> {
  const asked = report?.heldBack.filter(({ asks }) => asks === true).map(({ path }) => path) ?? [];
  if (report === undefined || asked.length === 0) return report;
  const { success, result } = await ctx.call({
    name: "commit_result",
    arguments: { call_id: ctx.callId, paths: asked.slice(0, maxAsked) },
  });
  if (!success) return report;
  const { left, notApplied = [] } = result;
  const isRefused = (path: string): boolean => notApplied.some((each) => each.path === path);
  const agreed = new Set(asked.slice(0, maxAsked).filter((path) => !isRefused(path)));
  const heldBack = report.heldBack.filter(({ path }) => !agreed.has(path));
  return { ...report, heldBack, committed: left === 0 ? "all" : agreed.size > 0 ? "part" : report.committed };
}

/** `commit_result` takes so many paths. */
const maxAsked = 1000;
