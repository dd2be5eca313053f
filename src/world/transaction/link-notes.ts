import type { LayerChange } from "../sandbox/layer/layer-types.js";

const maxNamed = 5;

/**
 * A command on a layer writes to a copy of a file, so that other names of it (hard links) keep the old content, unlike
 * those of a command that runs directly. The sentence that says so, for the changes that were committed.
 */
export function noteOnLinks(committed: readonly LayerChange[]): string[] {
  const written = committed.filter(
    ({ kind, before, isLinked }) =>
      kind === "changed" && isLinked !== true && before?.kind === "file" && before.links > 1,
  );
  const names = new Map<string, number>();
  for (const change of written) names.set(fileOf(change), (names.get(fileOf(change)) ?? 0) + 1);
  const left = written.filter((change) => (names.get(fileOf(change)) ?? 0) < (change.before?.links ?? 0));
  if (left.length === 0) return [];
  const shown = left.slice(0, maxNamed).map(({ path }) => path);
  const more = left.length > maxNamed ? `, and ${left.length - maxNamed} more` : "";
  return [
    `Other names (hard links) of these files keep the old content: ${shown.join(", ")}${more}. The command wrote to a copy.`,
  ];
}

function fileOf({ before }: LayerChange): string {
  return `${before?.dev}:${before?.ino}`;
}
