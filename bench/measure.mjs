// Measuring: contenders take turns within one run, so that noise hits all alike; medians and ratios are what counts.
import { performance } from "node:perf_hooks";

/**
 * Run each contender in turn, many rounds.
 * @param {Record<string, () => unknown>} contenders
 * @param {{ rounds?: number, callsPerRound?: Record<string, number> | number, unit?: "µs" | "ms" }} [options]
 */
export async function compare(contenders, options = {}) {
  const { rounds = 40, callsPerRound = 2000 } = options;
  const samples = new Map(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const calls = typeof callsPerRound === "number" ? callsPerRound : (callsPerRound[name] ?? 200);
      const started = performance.now();
      for (let call = 0; call < calls; call++) await run();
      const perCall = ((performance.now() - started) * 1000) / calls;
      if (round >= rounds / 5) samples.get(name).push(perCall); // the first fifth warms up
    }
  }
  return new Map(
    [...samples].map(([name, values]) => [name, { median: quantile(values, 0.5), mean: mean(values) }]),
  );
}

/** Print results as a table, with the ratio to one of them. */
export function printTable(title, results, reference) {
  const base = results.get(reference).median;
  console.log(`\n## ${title}\n`);
  console.log(`| | median µs | mean µs | × ${reference} |\n| --- | ---: | ---: | ---: |`);
  for (const [name, { median, mean: average }] of results) {
    console.log(`| ${name} | ${show(median)} | ${show(average)} | ${show(median / base)} |`);
  }
}

/** Print whether a goal was reached, with the true number. */
export function printGoal(text, value, limit) {
  console.log(`${value <= limit ? "reached" : "MISSED "}  ${text}: ${show(value)} (goal ≤ ${show(limit)})`);
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function show(value) {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(2);
}
