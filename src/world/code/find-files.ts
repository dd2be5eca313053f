import { buildingNote, type Candidate, type Candidates } from "./candidate.js";
import type { Search } from "./code-parts.js";
import { rankFiles } from "./file-rank.js";
import { pathInWorkspace } from "./search-root.js";

/** Longer queries are cut. */
const maxNameLength = 300;

/** Files by their names, best first. */
export async function findFiles(search: Search, maxResults: number): Promise<Candidates> {
  const { parts, query, root, scope } = search;
  const text = query.query.slice(0, maxNameLength);
  const notes: string[] = [];
  if (parts.keepsIndex && root.inWorkspace) {
    const symbolIndex = parts.symbolIndex();
    if (symbolIndex.state.state === "ready") {
      const ask = { query: text, scope: { ...scope, below: pathInWorkspace(root) }, maxResults };
      const found = await symbolIndex.request("files", ask, parts.signal);
      if (found.covered) return { candidates: found.files.map(toCandidate), more: found.more, notes: [] };
    } else notes.push(buildingNote);
  }
  const paths = await listFiles(search);
  const ranked = rankFiles(paths, text, root.shown);
  return {
    candidates: ranked.slice(0, maxResults).map(toCandidate),
    more: ranked.length > maxResults,
    notes,
  };
}

async function listFiles({ parts, root, wants }: Search): Promise<string[]> {
  if (root.file !== undefined) return [pathInWorkspace(root)];
  const paths: string[] = [];
  for await (const { entries } of parts.files.walk(root.shown === "" ? "." : root.shown)) {
    for (const { type, path } of entries) if (type === "file" && wants(path)) paths.push(path);
  }
  return paths;
}

function toCandidate(file: string): Candidate {
  return { file, line: 1, column: 1, columnsIn: "characters", kind: "file" };
}
