import { buildingNote, type Candidate, type Candidates } from "./candidate.js";
import { type Search, startIndex } from "./code-parts.js";
import { rankFiles } from "./file-rank.js";
import { belowOf } from "./place.js";

/** A longer text is no file name. */
const longestName = 300;

/** Files by their names, best first. */
export async function findFiles(search: Search, most: number): Promise<Candidates> {
  const { parts, query, place, scope } = search;
  const text = query.query.slice(0, longestName);
  const notes: string[] = [];
  if (parts.keepsIndex && place.inWorkspace) {
    const librarian = parts.librarian();
    if (librarian.state.state === "ready") {
      const ask = { query: text, scope: { ...scope, below: belowOf(place) }, most };
      const found = await librarian.ask("files", ask, parts.signal);
      if (found.covered) return { candidates: found.files.map(toCandidate), more: found.more, notes: [] };
    } else if (await startIndex(parts)) notes.push(buildingNote);
  }
  const paths = await listFiles(search);
  const ranked = rankFiles(paths, text, place.shown);
  return { candidates: ranked.slice(0, most).map(toCandidate), more: ranked.length > most, notes };
}

async function listFiles({ parts, place, wants }: Search): Promise<string[]> {
  if (place.file !== undefined) return [belowOf(place)];
  const paths: string[] = [];
  for await (const { entries } of parts.files.walk(place.shown === "" ? "." : place.shown)) {
    for (const { type, path } of entries) if (type === "file" && wants(path)) paths.push(path);
  }
  return paths;
}

function toCandidate(file: string): Candidate {
  return { file, line: 1, column: 1, columnsIn: "characters", kind: "file" };
}
