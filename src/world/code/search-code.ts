import { ToolValidationError } from "../../contract/errors.js";
import type { CodeAnswer, CodeQuery, CodeSearch } from "../../contract/ports/code.js";
import { buildingNote, type Candidates, noCandidates } from "./candidate.js";
import { type CodeParts, type Search, startIndex } from "./code-parts.js";
import { compileGlobScope } from "./file-scope.js";
import { findDefinitions, kindsOf, toCandidate } from "./find-definitions.js";
import { findFiles } from "./find-files.js";
import { findText } from "./find-text.js";
import { grep } from "./grep.js";
import { pathInWorkspace, resolveSearchRoot } from "./search-root.js";
import { type ShownMatches, showMatches } from "./show-matches.js";

export function createCodeSearch(parts: CodeParts): CodeSearch {
  return { search: (query) => runSearch(parts, query), grep: (query) => grep(parts, query) };
}

/** A search is repeated when its files change meanwhile, up to this many times. */
const maxRounds = 3;

async function runSearch(parts: CodeParts, query: CodeQuery): Promise<CodeAnswer> {
  const search = await prepareSearch(parts, query);
  for (let round = 1; ; round += 1) {
    const found = await collectCandidates(search);
    const { limit, contextLines } = query;
    const { files, newlineCounter } = parts;
    const showing = await showMatches(found.candidates, { files, newlineCounter, limit, contextLines });
    if (showing.stale && round < maxRounds) continue;
    return toAnswer(search, await withIndexStarted(parts, found), showing);
  }
}

/** Only now, so that this answer does not share the processor with the build. A tree that is too large is never indexed. */
async function withIndexStarted(parts: CodeParts, found: Candidates): Promise<Candidates> {
  if (!found.notes.includes(buildingNote) || (await startIndex(parts))) return found;
  return { ...found, notes: found.notes.filter((note) => note !== buildingNote) };
}

/** A call has 30 seconds; the rest is for reading the lines to show. */
const searchMs = 20_000;

async function prepareSearch(parts: CodeParts, query: CodeQuery): Promise<Search> {
  if (query.query.includes("\0")) {
    throw new ToolValidationError("The query contains a NUL character, which no text contains.", {
      code: "VALUE_INVALID",
    });
  }
  const root = await resolveSearchRoot(parts.files, query.path ?? ".");
  const scope = { below: pathInWorkspace(root), language: query.language, glob: query.glob };
  const ignoreCase = query.caseSensitive === undefined ? !/\p{Lu}/u.test(query.query) : !query.caseSensitive;
  return {
    parts,
    query,
    root,
    scope,
    wants: compileGlobScope(scope),
    ignoreCase,
    until: performance.now() + searchMs,
  };
}

async function collectCandidates(search: Search): Promise<Candidates> {
  const { query } = search;
  const maxResults = query.limit * 3 + 50;
  if (query.type === "file") return findFiles(search, maxResults);
  if (query.type === "text") return findLines(search, "text");
  if (query.regex) return query.type === "all" ? findLines(search, "text") : findByPattern(search);
  const definitions = await tryDefinitions(search, maxResults);
  if (query.type !== "all")
    return definitions.candidates.length > 0 ? definitions : mentionsWithNote(search, definitions);
  const files =
    definitions.candidates.length >= query.limit ? noCandidates : await findFiles(search, query.limit);
  const room = query.limit - definitions.candidates.length - files.candidates.length;
  const mentions = room > 0 ? await findMentions(search) : { ...noCandidates, more: true };
  return mergeCandidates([definitions, files, mentions]);
}

/** Without syntax trees the search continues with text. */
async function tryDefinitions(search: Search, maxResults: number): Promise<Candidates> {
  try {
    return await findDefinitions(search, maxResults);
  } catch (error) {
    if (search.parts.signal.aborted || error instanceof ToolValidationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ...noCandidates,
      notes: [`Syntax trees are not available, so definitions were not searched (${reason}).`],
    };
  }
}

function findLines(search: Search, kind: string): Promise<Candidates> {
  const { query, ignoreCase } = search;
  return findText(search, {
    patterns: [query.query],
    regex: query.regex,
    ignoreCase,
    kind,
    perFile: query.limit + 1,
  });
}

async function findMentions(search: Search): Promise<Candidates> {
  const { query, ignoreCase } = search;
  const textQuery = {
    patterns: [query.query.trim()],
    regex: false,
    ignoreCase,
    kind: "mention",
    perFile: query.limit + 1,
  };
  if (textQuery.patterns[0] === "") return noCandidates;
  const words = await findText(search, { ...textQuery, wholeWords: true });
  return words.candidates.length > 0 ? words : findText(search, textQuery);
}

/** Definitions on lines that a pattern matches; ripgrep matches it, so no pattern can hang. */
async function findByPattern(search: Search): Promise<Candidates> {
  const lines = await findText(search, {
    patterns: [search.query.query],
    regex: true,
    ignoreCase: search.ignoreCase,
    kind: "text",
    perFile: 1000,
  });
  const wanted = new Set(lines.candidates.map(({ file, line }) => `${file}:${line}`));
  const files = [...new Set(lines.candidates.map(({ file }) => file))].slice(0, 400);
  const nameQuery = {
    name: "",
    containers: [],
    kinds: kindsOf(search.query.type),
    caseSensitive: true,
    scope: search.scope,
    maxResults: Number.MAX_SAFE_INTEGER,
  };
  const { parts } = search;
  const found = await parts
    .symbolIndex()
    .request("symbols", { files, nameQuery, withinMs: 5000 }, parts.signal);
  const candidates = found.symbols.filter(({ file, line }) => wanted.has(`${file}:${line}`)).map(toCandidate);
  return { candidates, more: lines.more || found.unread > 0, notes: lines.notes };
}

/** Lines with the name where no definition was found, for example in a language without a grammar. */
async function mentionsWithNote(search: Search, { notes }: Candidates): Promise<Candidates> {
  const mentions = await findMentions(search);
  if (mentions.candidates.length === 0) return { ...mentions, notes: [...notes, ...mentions.notes] };
  const note = "No definition was found; these lines mention the name.";
  return { ...mentions, notes: [...notes, ...mentions.notes, note] };
}

function mergeCandidates(parts: readonly Candidates[]): Candidates {
  return {
    candidates: parts.flatMap(({ candidates }) => candidates),
    more: parts.some(({ more }) => more),
    notes: [...new Set(parts.flatMap(({ notes }) => notes))],
  };
}

function toAnswer({ parts }: Search, found: Candidates, showing: ShownMatches): CodeAnswer {
  const { matches, shown, more, tooLarge } = showing;
  const now = parts.indexState();
  // The index may be ready by now; the state that counts is the one this answer was found in.
  const index = found.notes.includes(buildingNote) ? { ...now, state: "building" as const } : now;
  const large =
    tooLarge.length === 0
      ? []
      : [`Matches in these large files are not shown; use grep with their path: ${tooLarge.join(", ")}.`];
  const truncated = more || found.more || large.length > 0;
  return { matches, truncated, index, notes: [...found.notes, ...large], shown };
}
