import type { AuditGroup, AuditQuery, AuditTally } from "../../contract/ports/audit.js";
import { Column } from "./index-columns.js";
import { compileQuery } from "./compile-query.js";
import { outcomes, type SegmentIndex } from "./segment-index.js";

/** When calls came and how they ended, as columns: there may be millions. */
export class TalliedCalls {
  readonly #times = new Column(new Float64Array(0));
  readonly #outcomes = new Column(new Uint8Array(0));

  add(time: number, outcome: number): void {
    this.#times.push(time);
    this.#outcomes.push(outcome);
  }

  /** Count them over time, in intervals of equal width. */
  tally(query: AuditQuery, buckets: number): AuditTally {
    const times = this.#times;
    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < times.length; at++) {
      const time = times.at(at);
      if (time < first) first = time;
      if (time > last) last = time;
    }
    const from = query.since ?? (times.length === 0 ? 0 : first);
    const to = Math.max(from + 1, query.until ?? last);
    const widthMs = Math.max(1, Math.ceil((to - from + 1) / buckets));
    const counts = outcomes.map(() => Array.from({ length: buckets }, () => 0));
    for (let at = 0; at < times.length; at++) {
      const bucket = Math.min(buckets - 1, Math.max(0, Math.floor((times.at(at) - from) / widthMs)));
      const column = counts[this.#outcomes.at(at)];
      if (column !== undefined) column[bucket] = (column[bucket] ?? 0) + 1;
    }
    const [success = [], failure = [], denied = [], interrupted = []] = counts;
    return { from, widthMs, total: times.length, counts: { success, failure, denied, interrupted } };
  }
}

/** The calls of some segments that fit a query without a text; no line is read. */
export function fittingCalls(indexes: readonly SegmentIndex[], query: AuditQuery): TalliedCalls {
  const calls = new TalliedCalls();
  for (const index of indexes) {
    const fits = compileQuery(index, query);
    if (fits === undefined) continue;
    // What ended before the time that is asked for also came before it.
    const start = query.since === undefined ? 0 : index.firstEndedSince(query.since);
    for (let row = start; row < index.rows; row++)
      if (fits(row)) calls.add(index.time.at(row), index.outcome.at(row));
  }
  return calls;
}

/** The tasks or sessions of the log, the one with the newest call first. */
export function groupRows(
  indexes: readonly SegmentIndex[],
  by: "task" | "session",
  limit: number,
): readonly AuditGroup[] {
  const groups = new Map<string, { -readonly [Key in keyof AuditGroup]: AuditGroup[Key] }>();
  for (const index of indexes) {
    for (let row = 0; row < index.rows; row++) {
      const id = index.isCall(row) ? (index.names.names[index[by].at(row)] ?? "") : "";
      if (id === "") continue;
      const time = index.time.at(row);
      const ended = index.ended.at(row);
      const group = groups.get(id) ?? { id, calls: 0, failures: 0, denied: 0, first: time, last: ended };
      groups.set(id, group);
      const outcome = outcomes[index.outcome.at(row)];
      group.calls += 1;
      if (outcome === "denied") group.denied += 1;
      else if (outcome !== "success") group.failures += 1;
      if (time < group.first) group.first = time;
      if (ended > group.last) group.last = ended;
    }
  }
  return [...groups.values()].sort((one, other) => other.last - one.last).slice(0, limit);
}
