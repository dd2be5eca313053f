import type { BlobStore } from "../contract/ports/blobs.js";
import { migrations, tablesOf } from "./migrations.js";
import type { SqlDatabase } from "./sql.js";

/** The result of a check of the whole state. */
export interface IntegrityReport {
  readonly ok: boolean;
  /** One sentence for each fault. */
  readonly problems: readonly string[];
}

const maxProblems = 100;

export interface IntegrityDeps {
  readonly database: SqlDatabase;
  readonly blobs: BlobStore;
  /** The machine and workspace whose contents are stored here. */
  readonly place: string;
}

/** Check all of the database, every reference in it, and every content that the journal needs. */
export async function checkIntegrity(parts: IntegrityDeps): Promise<IntegrityReport> {
  const { database } = parts;
  const found = database.dialect === "sqlite" ? await fileProblems(database) : await tableProblems(database);
  const problems = [...found, ...(await blobProblems(parts))];
  return { ok: problems.length === 0, problems: problems.slice(0, maxProblems) };
}

async function fileProblems(database: SqlDatabase): Promise<string[]> {
  const pages = await database.all<{ integrity_check: string }>(`PRAGMA integrity_check(${maxProblems})`);
  const references = await database.all<{ table: string; parent: string }>("PRAGMA foreign_key_check");
  return [
    ...pages.map((row) => row.integrity_check).filter((found) => found !== "ok"),
    ...references.map((row) => `A row of ${row.table} refers to a missing row of ${row.parent}.`),
  ];
}

/** The server keeps its own references whole; what can be seen from here is that every row can be read. */
async function tableProblems(database: SqlDatabase): Promise<string[]> {
  const problems: string[] = [];
  for (const table of tablesOf(migrations.length)) {
    const problem = await problemOf(() => database.get(`SELECT count(t.*) AS n FROM ${table} t`));
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function blobProblems({ database, blobs, place }: IntegrityDeps): Promise<string[]> {
  const problems: string[] = [];
  const needed = await database.all<{ hash: string }>(
    `SELECT DISTINCT b.hash FROM journal_blobs b JOIN journal_entries e ON e.id = b.entry
     WHERE e.place = ? AND b.hash NOT LIKE 'kept:%'`,
    [place],
  );
  for (const { hash } of needed) {
    if (problems.length >= maxProblems) break;
    const problem = await problemOf(() => blobs.verify(hash));
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function problemOf(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
