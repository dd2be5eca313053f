import type { SeenFile, SeenFiles, Sighting } from "../../contract/ports/seen.js";
import { cutRun, lastLineOf, mergeRun, type LineRun } from "../../text/line-runs.js";
import { addParts } from "./add-parts.js";
import type { SeenKeeper } from "./seen-keeper.js";

export interface SeenFilesOptions {
  /** One spelling for every path to the same file; a real path has no links to follow. */
  readonly canonical: (path: string, isReal?: boolean) => string;
  /** More text than this is not remembered; the files that were seen longest ago go first. @default 64 million */
  readonly maxChars?: number;
  /** Keeps it for the session's next process. @default it is gone with this one */
  readonly keeper?: SeenKeeper;
}

interface CachedFile {
  readonly file: SeenFile;
  readonly chars: number;
}

const defaultMaxChars = 64_000_000;

/** What one session has read. */
export function createSeenFiles(options: SeenFilesOptions): SeenFiles {
  const { canonical, keeper } = options;
  const cache = createCache(options.maxChars ?? defaultMaxChars);
  // Paths of which all is known here that an earlier process knew.
  const loaded = new Set<string>();
  let version = 0;
  const change = (key: string, file: SeenFile | undefined): void => {
    version++;
    cache.put(key, file);
    keeper?.save(key, async () => {
      await load(key);
      return cache.get(key);
    });
  };
  const load = async (key: string): Promise<void> => {
    if (keeper === undefined || loaded.has(key)) return;
    const kept = await keeper.load(key);
    if (loaded.has(key)) return;
    loaded.add(key);
    version++;
    if (kept !== undefined) cache.put(key, addStored(cache.get(key), kept));
  };
  return {
    get version() {
      return version;
    },
    async load(path) {
      const key = canonical(path);
      await load(key);
      return cache.get(key);
    },
    get: (path) => cache.get(canonical(path)),
    note(path, sighting) {
      const key = canonical(path, sighting.isRealPath);
      if (sighting.complete) loaded.add(key);
      const before = cache.get(key);
      if (before === undefined || !isKnown(before, sighting)) change(key, addSighting(before, sighting));
    },
    set(path, file) {
      const key = canonical(path);
      loaded.add(key);
      change(key, file);
    },
    forget(path) {
      const key = canonical(path);
      for (const each of [key, ...cache.below(key)]) {
        loaded.add(each);
        change(each, undefined);
      }
      keeper?.forgetBelow(key);
    },
    move(from, to) {
      const [source, target] = [canonical(from), canonical(to)];
      for (const each of [source, ...cache.below(source)]) {
        const moved = target + each.slice(source.length);
        const file = cache.get(each);
        loaded.add(each).add(moved);
        change(each, undefined);
        change(moved, file);
      }
      keeper?.moveBelow(source, target);
    },
  };
}

/** What is known by path, the oldest first, within a bound. */
function createCache(maxChars: number) {
  const known = new Map<string, CachedFile>();
  let total = 0;
  const remove = (key: string): void => {
    total -= known.get(key)?.chars ?? 0;
    known.delete(key);
  };
  return {
    get: (key: string): SeenFile | undefined => known.get(key)?.file,
    below: (key: string): string[] => [...known.keys()].filter((each) => each.startsWith(`${key}/`)),
    put(key: string, file: SeenFile | undefined): void {
      remove(key);
      if (file === undefined) return;
      const chars = countChars(file);
      if (chars > maxChars) return;
      known.set(key, { file, chars });
      total += chars;
      for (const oldest of known.keys()) {
        if (total <= maxChars) break;
        remove(oldest);
      }
    },
  };
}

function countChars({ runs, parts = [] }: SeenFile): number {
  let chars = parts.reduce((sum, { text }) => sum + text.length, 0);
  for (const { lines } of runs) for (const line of lines) chars += line.length + 1;
  return chars;
}

/** Newer lines count; older ones of another version stay too, since every use compares them with the file anyway. */
function addSighting(before: SeenFile | undefined, sighting: Sighting): SeenFile {
  const { identity, start, lines, complete, parts } = sighting;
  const run = { start, lines };
  const read = { identity, ...(sighting.encoding !== undefined && { encoding: sighting.encoding }) };
  // Lines that were read in another encoding are other lines.
  const isFirst = before === undefined || before.encoding !== sighting.encoding;
  if (complete || isFirst) {
    const first: SeenFile = { ...read, runs: lines.length === 0 ? [] : [run], complete };
    return complete ? first : addParts(first, parts);
  }
  const stillFits = before.identity === identity || before.runs.every((each) => linesAgree(each, run));
  const merged = { ...read, runs: mergeRun(before.runs, run), complete: before.complete && stillFits };
  return addParts(merged, [...(before.parts ?? []), ...(parts ?? [])]);
}

/** Whether a sighting shows nothing new: lines of the very same file that were seen before. */
function isKnown(before: SeenFile, { identity, encoding, start, lines, complete, parts }: Sighting): boolean {
  if (complete || parts !== undefined || before.identity !== identity || before.encoding !== encoding)
    return false;
  const end = start + lines.length - 1;
  return before.runs.some((run) => run.start <= start && lastLineOf(run) >= end);
}

function linesAgree(older: LineRun, newer: LineRun): boolean {
  const [one, other] = [
    cutRun(older, newer.start, lastLineOf(newer)),
    cutRun(newer, older.start, lastLineOf(older)),
  ];
  return one.lines.every((line, at) => line === other.lines[at]);
}

/** What another process kept is older than all that was seen here. */
function addStored(here: SeenFile | undefined, kept: SeenFile): SeenFile {
  if (here === undefined) return kept;
  const { parts, ...rest } = here;
  const known = here.runs.reduce<SeenFile>((all, run) => addSighting(all, { ...rest, ...run }), kept);
  return parts === undefined
    ? known
    : addSighting(known, { ...rest, start: 1, lines: [], complete: false, parts });
}
