import {
  artifactNames,
  type Artifact,
  type ArtifactName,
  type ArtifactSelector,
  type ArtifactStore,
  type ArtifactSummary,
  type ArtifactVersion,
} from "../contract/ports/artifacts.js";
import type { Sql } from "./sql.js";
import type { WorkParts } from "./work-scope.js";

/** The documents of stages: every version in the state, the newest as a file for people. */
export function createArtifacts(parts: WorkParts): ArtifactStore {
  const { database, iterations, scope } = parts;
  const { documents } = scope;
  const shown = (row: VersionRow): ArtifactVersion =>
    toVersion(row, documents.pathOf(row.iteration_id, row.name));
  const newest = async (sql: Sql, key: DocumentKey): Promise<ContentRow | undefined> =>
    sql.get<ContentRow>(`${selectContent} ${whereDocument} ORDER BY a.version DESC LIMIT 1`, toValues(key));
  const insert = (key: DocumentKey, content: string, agent: string): Promise<ContentRow> =>
    database.transaction(async (tx) => {
      const last = await newest(tx, key);
      const version = (last?.version ?? 0) + 1;
      await insertVersion(parts, tx, { key, content, agent, version });
      const oldest = "DELETE FROM artifact_versions WHERE iteration = ? AND name = ? AND version <= ?";
      await tx.run(oldest, [...toValues(key), version - parts.limits.maxArtifactVersions]);
      return (await newest(tx, key)) as ContentRow; // just written
    });
  return {
    async save(name, content) {
      const { number, id } = await iterations.openFor(scope);
      const path = documents.pathOf(id, name);
      const key: DocumentKey = { iteration: number, name };
      const there = await documents.read(path);
      // Another process may be about to write the file, or an undo brought an earlier version back.
      if (there !== undefined && !(await isKept(database, key, there)))
        await insert(key, there, outsideAgent);
      const row = await insert(key, content, scope.actor.agent);
      try {
        await documents.write(path, content);
      } catch (error) {
        await withdraw(database, row);
        throw error;
      }
      return shown(row);
    },
    async list({ iterationId } = {}) {
      const rows = await database.all<VersionRow & { versions: number }>(
        `${selectNewest} ${iterationId === undefined ? "" : "WHERE i.id = ?"} ORDER BY a.iteration DESC`,
        iterationId === undefined ? [] : [iterationId],
      );
      return rows
        .map((row): ArtifactSummary => ({ ...shown(row), versions: row.versions }))
        .sort((one, other) => (one.iterationId === other.iterationId ? order(one) - order(other) : 0));
    },
    async read({ name, version, iterationId }) {
      const key = await keyOf(parts, { name, iterationId });
      if (key === undefined) return undefined;
      const row = version === undefined ? await newest(database, key) : await exact(database, key, version);
      if (row === undefined) return undefined;
      const { path, ...own } = shown(row);
      const there = version === undefined ? await documents.read(path) : undefined;
      const changedOutside = there !== undefined && there !== row.content;
      return {
        ...own,
        path,
        content: changedOutside ? there : row.content,
        changedOutside,
      } satisfies Artifact;
    },
    async versions(selector) {
      const key = await keyOf(parts, selector);
      if (key === undefined) return [];
      const text = `${selectVersion} ${whereDocument} ORDER BY a.version DESC`;
      return (await database.all<VersionRow>(text, toValues(key))).map(shown);
    },
  };
}

/** The author of a change made without Tenon: a person with an editor, most likely. */
const outsideAgent = "outside";

interface DocumentKey {
  readonly iteration: number;
  readonly name: ArtifactName;
}

interface VersionRow {
  iteration: number;
  iteration_id: string;
  name: ArtifactName;
  version: number;
  size: number;
  created_at: number;
  agent: string;
}

interface ContentRow extends VersionRow {
  content: string;
}

const versionColumns = "a.iteration, i.id AS iteration_id, a.name, a.version, a.size, a.created_at, a.agent";
const fromVersions = "FROM artifact_versions a JOIN iterations i ON i.number = a.iteration";
const selectVersion = `SELECT ${versionColumns} ${fromVersions}`;
const selectContent = `SELECT ${versionColumns}, a.content ${fromVersions}`;
const whereDocument = "WHERE a.iteration = ? AND a.name = ?";
const selectNewest = `SELECT ${versionColumns}, n.versions ${fromVersions}
  JOIN (SELECT iteration, name, max(version) AS version, count(*) AS versions
        FROM artifact_versions GROUP BY iteration, name) n
  ON n.iteration = a.iteration AND n.name = a.name AND n.version = a.version`;

function toValues({ iteration, name }: DocumentKey): [number, string] {
  return [iteration, name];
}

async function keyOf(
  { iterations, scope }: WorkParts,
  { name, iterationId }: Omit<ArtifactSelector, "version">,
): Promise<DocumentKey | undefined> {
  const iteration = await (iterationId === undefined
    ? iterations.peekFor(scope)
    : iterations.find(iterationId));
  return iteration && { iteration: iteration.number, name };
}

async function exact(sql: Sql, key: DocumentKey, version: number): Promise<ContentRow | undefined> {
  return sql.get<ContentRow>(`${selectContent} ${whereDocument} AND a.version = ?`, [
    ...toValues(key),
    version,
  ]);
}

async function isKept(sql: Sql, key: DocumentKey, content: string): Promise<boolean> {
  const text =
    "SELECT 1 AS one FROM artifact_versions a WHERE a.iteration = ? AND a.name = ? AND a.content = ?";
  return (await sql.get(text, [...toValues(key), content])) !== undefined;
}

interface NewVersion {
  readonly key: DocumentKey;
  readonly content: string;
  readonly agent: string;
  readonly version: number;
}

async function insertVersion(
  { clock, scope }: WorkParts,
  tx: Sql,
  { key, content, agent, version }: NewVersion,
): Promise<void> {
  const { sessionId, callId } = scope.actor;
  await tx.run(
    `INSERT INTO artifact_versions
       (iteration, name, version, content, size, created_at, agent, session_id, call_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...toValues(key),
      version,
      content,
      Buffer.byteLength(content),
      clock.now(),
      agent,
      sessionId,
      callId ?? null,
    ],
  );
}

/** The file could not be written: the version never was. */
async function withdraw(sql: Sql, { iteration, name, version }: ContentRow): Promise<void> {
  const text = "DELETE FROM artifact_versions WHERE iteration = ? AND name = ? AND version = ?";
  await sql.run(text, [iteration, name, version]);
}

function toVersion(row: VersionRow, path: string): ArtifactVersion {
  return {
    name: row.name,
    iterationId: row.iteration_id,
    version: row.version,
    path,
    size: row.size,
    createdAt: row.created_at,
    agent: row.agent,
  };
}

function order({ name }: ArtifactVersion): number {
  return artifactNames.indexOf(name);
}
