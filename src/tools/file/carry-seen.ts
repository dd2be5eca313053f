import type { ToolContext } from "../../contract/context.js";
import { joinRuns, type LineRun } from "../../text/line-runs.js";
import { alignRuns } from "./align-lines.js";
import { compareSeen } from "./freshness.js";
import { base64, lookAt } from "./layers.js";

/** What a session knew of a file before Tenon itself changed it. */
export interface KnownBefore {
  readonly path: string;
  /** All lines of the file, and which of them were known. */
  readonly lines: readonly string[];
  readonly known: readonly LineRun[];
  readonly encoding: string | undefined;
}

type World = Pick<ToolContext, "files" | "seen">;

/** Take down what is known of files that are about to be changed. */
export async function rememberBefore(world: World, paths: readonly string[]): Promise<KnownBefore[]> {
  const known: KnownBefore[] = [];
  for (const path of new Set(paths)) {
    await world.seen.load(path);
    const stat = await world.files.stat(path);
    if (world.seen.get(path) === undefined || stat?.type !== "file") continue;
    const { seen, lines } = await lookAt(world, path, stat);
    if (seen === undefined || seen.encoding === base64) continue;
    const { runs } = compareSeen(seen, lines);
    known.push({ path, lines: lines.slice(1, lines.count), known: runs, encoding: seen.encoding });
  }
  return known;
}

/** After the change: known are the lines that were known, and those that the change brought and showed. */
export async function carrySeen(world: World, before: readonly KnownBefore[]): Promise<void> {
  for (const { path, lines, known, encoding } of before) {
    const stat = await world.files.stat(path);
    if (stat?.type !== "file") {
      world.seen.forget(path);
      continue;
    }
    const now = (await lookAt(world, path, stat)).lines;
    const after = now.slice(1, now.count);
    const isKnown = new Set(known.flatMap(({ start, lines: own }) => own.map((_, at) => start + at)));
    // For each line of now the line that it was before, 0 for one that is new.
    const [origin = []] = alignRuns([{ start: 1, lines: after }], lines);
    const runs = joinRuns(
      after.flatMap((line, at) => {
        const former = origin[at] ?? 0;
        return former === 0 || isKnown.has(former) ? [{ start: at + 1, lines: [line] }] : [];
      }),
    );
    const complete = after.length === 0 || runs[0]?.lines.length === after.length;
    world.seen.set(path, {
      identity: stat.identity,
      runs,
      complete,
      ...(encoding !== undefined && { encoding }),
    });
  }
}
