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

/** Runs of a text and other spans of it together; `linesOf` gives the lines between two numbers. */
export function unionRuns(
  runs: readonly LineRun[],
  spans: readonly { readonly startLine: number; readonly endLine: number }[],
  linesOf: (first: number, last: number) => readonly string[],
): LineRun[] {
  const known = runs.map((run) => ({ startLine: run.start, endLine: lastLineOf(run) }));
  const united: { startLine: number; endLine: number }[] = [];
  for (const { startLine, endLine } of inOrder([...known, ...spans], (span) => span.startLine)) {
    const last = united.at(-1);
    if (last !== undefined && startLine <= last.endLine + 1) last.endLine = Math.max(last.endLine, endLine);
    else united.push({ startLine, endLine });
  }
  const read = united.map(({ startLine, endLine }) => ({
    start: startLine,
    lines: linesOf(startLine, endLine),
  }));
  return read.filter(({ lines }) => lines.length > 0);
}

/** The runs of a text once some of its lines were replaced; the new lines count in. Runs and changes ascend and never overlap. */
export function spliceRuns(runs: readonly LineRun[], changes: readonly LineChange[]): LineRun[] {
  const parts: LineRun[] = [];
  let shift = 0;
  let from = 1;
  let next = 0;
  const keepUpTo = (last: number): void => {
    for (; next < runs.length; next += 1) {
      const run = runs[next] as LineRun;
      if (run.start > last) return;
      const part = cutRun(run, from, last);
      parts.push({ start: part.start + shift, lines: part.lines });
      // The rest of the run may follow after the change.
      if (lastLineOf(run) > last) return;
    }
  };
  for (const { startLine, endLine, newLines } of changes) {
    keepUpTo(startLine - 1);
    parts.push({ start: startLine + shift, lines: newLines });
    shift += newLines.length - (endLine - startLine + 1);
    from = endLine + 1;
  }
  keepUpTo(Number.MAX_SAFE_INTEGER);
  return joinAscending(parts);
}

/** Whether one of the runs has a line; the runs ascend. */
export function hasLine(runs: readonly LineRun[], line: number): boolean {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lastLineOf(runs[middle] as LineRun) < line) low = middle + 1;
    else high = middle;
  }
  return (runs[low]?.start ?? Number.POSITIVE_INFINITY) <= line;
}

/** Runs without some of their lines, which ascend. */
export function dropLines(runs: readonly LineRun[], lines: readonly number[]): LineRun[] {
  const parts: LineRun[] = [];
  let next = 0;
  for (const run of runs) {
    let from = run.start;
    for (; next < lines.length; next += 1) {
      const line = lines[next] ?? 0;
      if (line > lastLineOf(run)) break;
      parts.push(cutRun(run, from, line - 1));
      from = Math.max(from, line + 1);
    }
    parts.push(cutRun(run, from, lastLineOf(run)));
  }
  return joinAscending(parts);
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
  return joinAscending(inOrder(parts, ({ start }) => start));
}

function joinAscending(parts: readonly LineRun[]): LineRun[] {
  const joined: LineRun[] = [];
  // The lines of the last run, if it was made of several.
  let own: string[] | undefined;
  for (const part of parts) {
    if (part.lines.length === 0) continue;
    const last = joined.at(-1);
    if (last === undefined || part.start !== lastLineOf(last) + 1) {
      joined.push(part);
      own = undefined;
      continue;
    }
    if (own === undefined) {
      own = [...last.lines];
      joined[joined.length - 1] = { start: last.start, lines: own };
    }
    for (const line of part.lines) own.push(line);
  }
  return joined;
}

/** The same in ascending order; most are in order already. */
function inOrder<Item>(items: readonly Item[], keyOf: (item: Item) => number): readonly Item[] {
  for (let at = 1; at < items.length; at += 1) {
    if (keyOf(items[at - 1] as Item) > keyOf(items[at] as Item))
      return items.toSorted((one, other) => keyOf(one) - keyOf(other));
  }
  return items;
}
