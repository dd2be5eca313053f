/** What a search asks of the log; what is not there is not asked. */
export interface SearchFilter {
  readonly text?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly taskId?: string;
  readonly sessionId?: string;
  readonly outcome?: string;
  readonly since?: number;
  readonly until?: number;
}

/** A part of a search that cannot be used. */
export interface SearchProblem {
  readonly kind: "field" | "value";
  readonly field: string;
  readonly value: string;
}

const searchFields = ["tool", "outcome", "agent", "task", "session", "since", "until"] as const;
export const outcomes = ["success", "failure", "denied", "interrupted"] as const;

type Field = (typeof searchFields)[number];

const token = /([a-z]+):("[^"]*"|\S+)|"([^"]*)"|\S+/gi;
const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const keys = { tool: "tool", agent: "agent", task: "taskId", session: "sessionId" } as const;

/** Read `tool:edit_file outcome:denied since:2h some words`; values with blanks stand in quotes. */
export function parseSearch(
  search: string,
  now: number,
): { readonly filter: SearchFilter; readonly problems: readonly SearchProblem[] } {
  const filter: Record<string, string | number> = {};
  const problems: SearchProblem[] = [];
  const words: string[] = [];
  for (const [whole, name, given = "", quoted] of search.matchAll(token)) {
    const field = searchFields.find((known) => known === name?.toLowerCase());
    const value = given.replace(/^"|"$/g, "");
    if (field === undefined) {
      // An address or a time has a colon too.
      if (name !== undefined && !given.startsWith("//")) problems.push({ kind: "field", field: name, value });
      words.push(quoted ?? whole);
      continue;
    }
    if (!take(filter, field, value, now)) problems.push({ kind: "value", field, value });
  }
  if (words.length > 0) filter["text"] = words.join(" ");
  return { filter, problems };
}

/** The search with one field set, or taken out by `undefined`. */
export function withField(search: string, field: Field, value: string | undefined): string {
  const kept = [...search.matchAll(token)]
    .filter(([, name]) => name?.toLowerCase() !== field)
    .map(([whole]) => whole);
  const written =
    value === undefined ? [] : [`${field}:${/[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value}`];
  return [...kept, ...written].join(" ");
}

/** What a search has in a field. */
export function fieldOf(search: string, field: Field): string | undefined {
  const found = [...search.matchAll(token)].findLast(([, name]) => name?.toLowerCase() === field);
  return found?.[2]?.replace(/^"|"$/g, "");
}

function take(filter: Record<string, string | number>, field: Field, value: string, now: number): boolean {
  if (field === "since" || field === "until") {
    const time = toTimestamp(value, now);
    if (time !== undefined) filter[field] = time;
    return time !== undefined;
  }
  if (field === "outcome") {
    const outcome = outcomes.find((known) => known === value.toLowerCase());
    if (outcome !== undefined) filter["outcome"] = outcome;
    return outcome !== undefined;
  }
  filter[keys[field]] = value;
  return value !== "";
}

function toTimestamp(value: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/i.exec(value) ?? [];
  if (count !== undefined) return now - Number(count) * (units[unit.toLowerCase()] ?? 0);
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
