/** Command lines that failed because of what layers cannot do. */
export interface FailedLines {
  /** Whether a line runs directly on the workspace. */
  isDirect(line: string): boolean;
  /** A line is about to run on a layer; call the result if that makes it fail. */
  begin(line: string): () => void;
  /** A line has run directly and succeeded. */
  succeeded(line: string): void;
}

/** A line that fails on every layer is tried on one rarely. */
const maxRuns = 16;

/**
 * A line that failed runs directly until it has succeeded, and then on a layer again: what failed once, such as `make`,
 * can be undone again. Each time that it fails there once more, it runs directly twice as often before the next try.
 */
export function createFailedLines(): FailedLines {
  /** How many direct runs follow the last failure, and how many of them are left. */
  const failed = new Map<string, { readonly runs: number; left: number }>();
  return {
    isDirect: (line) => (failed.get(line)?.left ?? 0) > 0,
    begin(line) {
      const runs = Math.min((failed.get(line)?.runs ?? 0.5) * 2, maxRuns);
      failed.delete(line);
      return () => failed.set(line, { runs, left: runs });
    },
    succeeded(line) {
      const found = failed.get(line);
      if (found !== undefined) found.left -= 1;
    },
  };
}
