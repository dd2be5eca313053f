// What `npm run bench:check` compares: ratios are the same on every machine, microseconds are not.

/** More than this is no longer noise. */
const tolerance = 1.25;

/** The ratio that a line of a benchmark's goals tells. */
export function ratioIn(line) {
  const found = /^(?:reached|MISSED) +(.+): ([\d.]+) \(goal ≤ [\d.]+\)$/.exec(line);
  if (found === null || !/ against | times |^× /.test(found[1])) return undefined;
  return { name: found[1], value: Number(found[2]) };
}

/** Ratios that got worse; what was never recorded is not among them. */
export function slower(measured, recorded) {
  return Object.entries(measured).flatMap(([name, now]) => {
    const before = recorded[name];
    return before !== undefined && now > before * tolerance ? [{ name, now, before }] : [];
  });
}
