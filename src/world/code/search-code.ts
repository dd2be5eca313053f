import { ToolValidationError } from "../../contract/errors.js";
import type { CodeAnswer, CodeQuery, CodeSearch } from "../../contract/ports/code.js";
import { PatternError } from "../../glob/wildcard.js";
import { buildingNote, type Candidate, type Candidates, noCandidates } from "./candidate.js";
import type { CodeParts, Search } from "./code-parts.js";
import { compileScope } from "./file-scope.js";
import { findDefinitions, kindsOf } from "./find-definitions.js";
import { findFiles } from "./find-files.js";
import { findText } from "./find-text.js";
import { belowOf, findPlace } from "./place.js";
import { type Showing, showMatches } from "./show-matches.js";

/** The search of one call. */
export function createCodeSearch(parts: CodeParts): CodeSearch {
  return { search: (query) => runSearch(parts, query) };
}

/** A file that changes while it is looked for is looked for again; not for ever. */
const mostRounds = 3;

async function runSearch(parts: CodeParts, query: CodeQuery): Promise<CodeAnswer> {
  const search = await prepare(parts, query);
  for (let round = 1; ; round += 1) {
    const found = await collect(search);
    const { limit, contextLines } = query;
    const showing = await showMatches(found.candidates, { files: parts.files, limit, contextLines });
    if (showing.stale && round < mostRounds) continue;
    return toAnswer(search, found, showing);
  }
}

/** A call has 30 seconds; some of them are for showing what was found. */
const searchMs = 20_000;

async function prepare(parts: CodeParts, query: CodeQuery): Promise<Search> {
  if (query.query.includes("\0")) {
    throw new ToolValidationError("The query holds a NUL character, which no text has.", {
      code: "VALUE_INVALID",
    });
  }
  const place = await findPlace(parts.files, query.path ?? ".");
  const scope = { below: belowOf(place), language: query.language, glob: query.glob };
  try {
    const ignoreCase =
      query.caseSensitive === undefined ? !/\p{Lu}/u.test(query.query) : !query.caseSensitive;
    return {
      parts,
      query,
      place,
      scope,
      wants: compileScope(scope),
      ignoreCase,
      until: performance.now() + searchMs,
    };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ToolValidationError(
      `The glob ${JSON.stringify(query.glob)} cannot be used: ${error.message}.`,
      {
        code: "VALUE_INVALID",
        hint: "Use *, ?, [a-z], {a,b} and ** for any directories.",
      },
    );
  }
}

async function collect(search: Search): Promise<Candidates> {
  const { query } = search;
  const most = query.limit * 3 + 50;
  if (query.type === "file") return findFiles(search, most);
  if (query.type === "text") return findLines(search, "text");
  if (query.regex) return query.type === "all" ? findLines(search, "text") : findByPattern(search);
  const definitions = await definitionsOr(search, most);
  if (query.type !== "all")
    return definitions.candidates.length > 0 ? definitions : mentionsInstead(search, definitions);
  const files =
    definitions.candidates.length >= query.limit ? noCandidates : await findFiles(search, query.limit);
  const room = query.limit - definitions.candidates.length - files.candidates.length;
  const mentions = room > 0 ? await findMentions(search) : { ...noCandidates, more: true };
  return merge([definitions, files, mentions]);
}

/** Where no syntax tree can be had, the text still can. */
async function definitionsOr(search: Search, most: number): Promise<Candidates> {
  try {
    return await findDefinitions(search, most);
  } catch (error) {
    if (search.parts.signal.aborted || error instanceof ToolValidationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { ...noCandidates, notes: [`Definitions cannot be read from syntax trees here (${reason}).`] };
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
  const wish = {
    patterns: [query.query.trim()],
    regex: false,
    ignoreCase,
    kind: "mention",
    perFile: query.limit + 1,
  };
  if (wish.patterns[0] === "") return noCandidates;
  const words = await findText(search, { ...wish, wholeWords: true });
  return words.candidates.length > 0 ? words : findText(search, wish);
}

/** Definitions on lines that a pattern finds: it is ripgrep's to match, so no pattern can hang. */
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
  const wish = {
    name: "",
    containers: [],
    kinds: kindsOf(search.query.type),
    caseSensitive: true,
    scope: search.scope,
    most: Number.MAX_SAFE_INTEGER,
  };
  const { parts } = search;
  const found = await parts.librarian().ask("symbols", { files, wish, withinMs: 5000 }, parts.signal);
  const candidates = found.symbols
    .filter(({ file, line }) => wanted.has(`${file}:${line}`))
    .map(({ file, line, column, kind, name, size, changed }): Candidate => {
      return { file, line, column, columnsIn: "characters", kind, expected: { name, size, changed } };
    });
  return { candidates, more: lines.more || found.unread > 0, notes: lines.notes };
}

/** Lines with the name, where no tree defines it: a language without a grammar, say. */
async function mentionsInstead(search: Search, { notes }: Candidates): Promise<Candidates> {
  const mentions = await findMentions(search);
  if (mentions.candidates.length === 0) return { ...mentions, notes: [...notes, ...mentions.notes] };
  const said = "No syntax tree defines it as asked; these lines mention it.";
  return { ...mentions, notes: [...notes, ...mentions.notes, said] };
}

function merge(parts: readonly Candidates[]): Candidates {
  return {
    candidates: parts.flatMap(({ candidates }) => candidates),
    more: parts.some(({ more }) => more),
    notes: [...new Set(parts.flatMap(({ notes }) => notes))],
  };
}

function toAnswer({ parts }: Search, found: Candidates, { matches, shown, more }: Showing): CodeAnswer {
  const now = parts.indexState();
  // The index may be there by now; what counts is how this answer was found.
  const index = found.notes.includes(buildingNote) ? { ...now, state: "building" as const } : now;
  return { matches, truncated: more || found.more, index, notes: found.notes, shown };
}
