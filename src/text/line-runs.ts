/** Lines of a text that follow each other, without their ends; the first one has the number `start`, from 1. */
export interface LineRun {
  readonly start: number;
  readonly lines: readonly string[];
}

/** Lines that take the place of others; `newLines` stand where `startLine` to `endLine` stood. */
export interface LineChange {
  readonly startLine: number;
  /** One less than `startLine` where nothing is taken out. */
  readonly endLine: number;
  readonly newLines: readonly string[];
}

export function lastLineOf({ start, lines }: LineRun): number {
  return start + lines.length - 1;
}

/** Put a run among others: where they overlap it is the one that counts, and what touches becomes one. */
export function mergeRun(runs: readonly LineRun[], run: LineRun): LineRun[] {
  if (run.lines.length === 0) return [...runs];
  const end = lastLineOf(run);
  const parts = runs.flatMap((each) => [
    cutRun(each, each.start, run.start - 1),
    cutRun(each, end + 1, lastLineOf(each)),
  ]);
  return joinRuns([...parts, run]);
}

/** The runs of a text once some of its lines were replaced; the new lines count in. Changes ascend and never overlap. */
export function spliceRuns(runs: readonly LineRun[], changes: readonly LineChange[]): LineRun[] {
  const parts: LineRun[] = [];
  let shift = 0;
  let from = 1;
  const keepUpTo = (last: number): void => {
    for (const run of runs) {
      const part = cutRun(run, from, last);
      parts.push({ start: part.start + shift, lines: part.lines });
    }
  };
  for (const { startLine, endLine, newLines } of changes) {
    keepUpTo(startLine - 1);
    parts.push({ start: startLine + shift, lines: newLines });
    shift += newLines.length - (endLine - startLine + 1);
    from = endLine + 1;
  }
  keepUpTo(Number.MAX_SAFE_INTEGER);
  return joinRuns(parts);
}

/** The lines of a run between two numbers, both included; none where it has none there. */
export function cutRun(run: LineRun, first: number, last: number): LineRun {
  const start = Math.max(first, run.start);
  const end = Math.min(last, lastLineOf(run));
  if (start > end) return { start, lines: [] };
  if (start === run.start && end === lastLineOf(run)) return run;
  return { start, lines: run.lines.slice(start - run.start, end - run.start + 1) };
}

/** Runs in order, those that touch as one. They must not overlap. */
export function joinRuns(parts: readonly LineRun[]): LineRun[] {
  const sorted = parts.filter(({ lines }) => lines.length > 0).sort((one, other) => one.start - other.start);
  const joined: LineRun[] = [];
  for (let at = 0; at < sorted.length;) {
    const group: LineRun[] = [];
    for (let next = sorted[at]; next !== undefined; next = sorted[at]) {
      const last = group.at(-1);
      if (last !== undefined && next.start !== lastLineOf(last) + 1) break;
      group.push(next);
      at += 1;
    }
    const [first] = group;
    if (first === undefined) break;
    joined.push(
      group.length === 1 ? first : { start: first.start, lines: group.flatMap(({ lines }) => lines) },
    );
  }
  return joined;
}
