import type { BlobStore } from "../contract/ports/blobs.js";
import type { Database } from "./database.js";

/** What a check of the whole state found. */
export interface IntegrityReport {
  readonly ok: boolean;
  /** One sentence for each fault. */
  readonly problems: readonly string[];
}

const mostProblems = 100;

/** Check every page of the database, every reference in it, and every content that the journal needs. */
export async function checkIntegrity(database: Database, blobs: BlobStore): Promise<IntegrityReport> {
  const problems = [...databaseProblems(database), ...(await blobProblems(database, blobs))];
  return { ok: problems.length === 0, problems: problems.slice(0, mostProblems) };
}

function databaseProblems(database: Database): string[] {
  const pages = database
    .all<{ integrity_check: string }>(`PRAGMA integrity_check(${mostProblems})`)
    .map((row) => row.integrity_check)
    .filter((found) => found !== "ok");
  const references = database
    .all<{ table: string; parent: string }>("PRAGMA foreign_key_check")
    .map((row) => `A row of ${row.table} refers to a missing row of ${row.parent}.`);
  return [...pages, ...references];
}

async function blobProblems(database: Database, blobs: BlobStore): Promise<string[]> {
  const problems: string[] = [];
  const needed = database.all<{ hash: string }>("SELECT DISTINCT hash FROM journal_blobs");
  for (const { hash } of needed) {
    if (problems.length >= mostProblems) break;
    const problem = await blobProblem(blobs, hash);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function blobProblem(blobs: BlobStore, hash: string): Promise<string | undefined> {
  try {
    await blobs.verify(hash);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
