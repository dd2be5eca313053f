import type { ToolContext } from "../../contract/context.js";
import { hasLine, joinRuns } from "../../text/line-runs.js";
import { alignRuns } from "./align-lines.js";
import { compareSeen } from "./freshness.js";
import { partsIn, type KnownLines } from "./known-lines.js";
import { base64, isReadWhole, readPresentFile } from "./layers.js";

/** What a session knew about a file before Tenon changed it. */
export interface KnownBefore {
  readonly path: string;
  /** All lines of the file. */
  readonly lines: readonly string[];
  readonly known: KnownLines;
  readonly encoding: string | undefined;
}

type SeenDeps = Pick<ToolContext, "files" | "seen">;

/** Remember what the session knows about files that are about to be changed. */
export async function rememberBefore(deps: SeenDeps, paths: readonly string[]): Promise<KnownBefore[]> {
  const known: KnownBefore[] = [];
  for (const path of new Set(paths)) {
    if ((await deps.seen.load(path)) === undefined) continue;
    const stat = await deps.files.stat(path);
    if (stat?.type !== "file" || !isReadWhole(deps, stat)) continue;
    const { seen, lines } = await readPresentFile(deps, path);
    if (seen === undefined || seen.encoding === base64) continue;
    known.push({
      path,
      lines: lines.slice(1, lines.count),
      known: compareSeen(seen, lines).known,
      encoding: seen.encoding,
    });
  }
  return known;
}

/** After the change, the session knows the lines that it knew before and the lines that the change added. */
export async function carrySeen(deps: SeenDeps, before: readonly KnownBefore[]): Promise<void> {
  for (const { path, lines, known, encoding } of before) {
    const stat = await deps.files.stat(path);
    if (stat?.type !== "file" || !isReadWhole(deps, stat)) {
      deps.seen.forget(path);
      continue;
    }
    const now = (await readPresentFile(deps, path)).lines;
    const after = now.slice(1, now.count);
    const isKnown = new Set(known.runs.flatMap(({ start, lines: own }) => own.map((_, at) => start + at)));
    // For each current line, its previous number; 0 for a new line.
    const [origin = []] = alignRuns([{ start: 1, lines: after }], lines);
    const runs = joinRuns(
      after.flatMap((line, at) => {
        const previous = origin[at] ?? 0;
        return previous === 0 || isKnown.has(previous) ? [{ start: at + 1, lines: [line] }] : [];
      }),
    );
    const complete = after.length === 0 || runs[0]?.lines.length === after.length;
    deps.seen.set(path, {
      identity: stat.identity,
      runs,
      parts: partsIn(known.parts, after).filter(({ line }) => !hasLine(runs, line)),
      complete,
      ...(encoding !== undefined && { encoding }),
    });
  }
}
