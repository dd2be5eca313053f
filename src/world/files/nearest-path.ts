import path from "node:path";
import { ToolError, ToolResourceNotFoundError } from "../../contract/errors.js";
import { nearest } from "../../schema/nearest.js";
import type { Guard } from "./guard-types.js";

const maxEntries = 5000;

/** The existing path that was probably meant: the same with other names, each a few typos away. Only what may be read counts. */
export async function nearestPath(guard: Guard, wanted: string): Promise<string | undefined> {
  let found = path.normalize(wanted);
  const missing: string[] = [];
  try {
    while (guard.stat(found) === null && path.dirname(found) !== found) {
      missing.unshift(path.basename(found));
      found = path.dirname(found);
    }
    for (const name of missing) {
      const next = path.join(found, name);
      const other = guard.stat(next) === null ? nearest(name, await namesIn(guard, found)) : name;
      if (other === undefined || !guard.check(path.join(found, other), "read").allowed) return undefined;
      found = path.join(found, other);
    }
  } catch (error) {
    // What may not be looked at is not suggested either.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
  return found;
}

async function namesIn(guard: Guard, directory: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of guard.list(directory)) {
    names.push(name);
    if (names.length === maxEntries) break;
  }
  return names;
}

/** Run an operation on a path; if nothing exists there, the error names what was probably meant. */
export async function suggestPath<Result>(
  guard: Guard,
  wanted: string,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ToolResourceNotFoundError)) throw error;
    const meant = await nearestPath(guard, wanted);
    if (meant === undefined) throw error;
    throw new ToolResourceNotFoundError(error.message, {
      hint: `Did you mean ${JSON.stringify(meant)}?`,
      details: { ...error.details, nearest: meant },
    });
  }
}
