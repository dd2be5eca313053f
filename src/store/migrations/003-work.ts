import type { Dialect } from "../dialect.js";
import type { Migration } from "./migration.js";

/** What agents keep together: iterations, plans, documents, snippets and memories, with their full text. */
export const work: Migration = {
  name: "work",
  tables: [
    "iterations",
    "stage_states",
    "pipeline_history",
    "artifact_versions",
    "requirements",
    "features",
    "feature_requirements",
    "tasks",
    "task_needs",
    "plan_history",
    "snippets",
    "snippet_versions",
    "memories",
  ],
  async rebuild(tx) {
    // The next search indexes all rows again.
    for (const table of ["snippets", "memories"]) {
      const clear = `INSERT INTO ${table}_text (${table}_text) VALUES ('delete-all')`;
      await tx.run(tx.dialect === "sqlite" ? clear : `DELETE FROM ${table}_text`);
    }
    await tx.run("DELETE FROM text_progress");
  },
  statements: (dialect) => [
    ...pipelineTables(dialect),
    ...planTables(dialect),
    ...snippetTables(dialect),
    ...memoryTables(dialect),
    `CREATE TABLE text_progress (name TEXT PRIMARY KEY, number BIGINT NOT NULL)`,
  ],
};

function pipelineTables({ identity, byCode }: Dialect): string[] {
  return [
    `CREATE TABLE iterations (
       number INTEGER PRIMARY KEY, id TEXT ${byCode} NOT NULL UNIQUE, name TEXT NOT NULL, stage TEXT,
       created_at BIGINT NOT NULL, agent TEXT NOT NULL, session_id TEXT NOT NULL
     )`,
    `CREATE TABLE stage_states (
       iteration INTEGER NOT NULL REFERENCES iterations (number), stage TEXT NOT NULL, state TEXT NOT NULL,
       summary TEXT, completed_at BIGINT, PRIMARY KEY (iteration, stage)
     )`,
    `CREATE TABLE pipeline_history (
       number ${identity}, iteration INTEGER NOT NULL REFERENCES iterations (number),
       at BIGINT NOT NULL, agent TEXT NOT NULL, session_id TEXT NOT NULL, call_id TEXT,
       what TEXT NOT NULL, note TEXT
     )`,
    `CREATE INDEX pipeline_history_iteration ON pipeline_history (iteration, number)`,
    `CREATE TABLE artifact_versions (
       iteration INTEGER NOT NULL REFERENCES iterations (number), name TEXT NOT NULL, version INTEGER NOT NULL,
       content TEXT NOT NULL, size BIGINT NOT NULL, created_at BIGINT NOT NULL, agent TEXT NOT NULL,
       session_id TEXT NOT NULL, call_id TEXT, PRIMARY KEY (iteration, name, version)
     )`,
  ];
}

function planTables({ identity, byCode }: Dialect): string[] {
  const record = `number ${identity}, id TEXT ${byCode} NOT NULL UNIQUE,
       iteration INTEGER NOT NULL REFERENCES iterations (number),
       title TEXT NOT NULL, description TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL`;
  return [
    `CREATE TABLE requirements (${record}, priority TEXT NOT NULL)`,
    `CREATE TABLE features (${record})`,
    `CREATE TABLE feature_requirements (
       feature TEXT ${byCode} NOT NULL REFERENCES features (id),
       requirement TEXT ${byCode} NOT NULL REFERENCES requirements (id),
       seq INTEGER NOT NULL, PRIMARY KEY (feature, requirement)
     )`,
    `CREATE INDEX feature_requirements_back ON feature_requirements (requirement)`,
    `CREATE TABLE tasks (${record}, feature TEXT ${byCode} REFERENCES features (id), status TEXT NOT NULL)`,
    `CREATE TABLE task_needs (
       task TEXT ${byCode} NOT NULL REFERENCES tasks (id), needs TEXT ${byCode} NOT NULL REFERENCES tasks (id),
       seq INTEGER NOT NULL, PRIMARY KEY (task, needs)
     )`,
    `CREATE INDEX task_needs_back ON task_needs (needs)`,
    `CREATE TABLE plan_history (
       number ${identity}, kind TEXT NOT NULL, id TEXT ${byCode} NOT NULL, at BIGINT NOT NULL,
       agent TEXT NOT NULL, session_id TEXT NOT NULL, call_id TEXT, what TEXT NOT NULL, note TEXT
     )`,
    `CREATE INDEX plan_history_record ON plan_history (kind, id, number)`,
  ];
}

function snippetTables(dialect: Dialect): string[] {
  const { identity, byCode } = dialect;
  return [
    `CREATE TABLE snippets (
       number ${identity}, name TEXT ${byCode} NOT NULL UNIQUE, version INTEGER NOT NULL, code TEXT NOT NULL,
       description TEXT NOT NULL, language TEXT NOT NULL, tags TEXT NOT NULL,
       created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, agent TEXT NOT NULL, touched BIGINT NOT NULL UNIQUE
     )`,
    `CREATE TABLE snippet_versions (
       snippet BIGINT NOT NULL REFERENCES snippets (number) ON DELETE CASCADE, version INTEGER NOT NULL,
       code TEXT NOT NULL, description TEXT NOT NULL, language TEXT NOT NULL, tags TEXT NOT NULL,
       saved_at BIGINT NOT NULL, agent TEXT NOT NULL, PRIMARY KEY (snippet, version)
     )`,
    ...textTables(dialect, "snippets"),
  ];
}

function memoryTables(dialect: Dialect): string[] {
  return [
    `CREATE TABLE memories (
       number ${dialect.identity}, kind TEXT NOT NULL, layer TEXT NOT NULL,
       iteration INTEGER NOT NULL REFERENCES iterations (number),
       title TEXT NOT NULL, content TEXT NOT NULL, tags TEXT NOT NULL, created_at BIGINT NOT NULL,
       agent TEXT NOT NULL, resolution TEXT, resolved_at BIGINT, origin BIGINT REFERENCES memories (number),
       reason TEXT
     )`,
    `CREATE INDEX memories_layer ON memories (layer, iteration, number)`,
    `CREATE INDEX memories_kind ON memories (kind, layer, iteration, number)`,
    `CREATE UNIQUE INDEX memories_promotion ON memories (origin, kind) WHERE origin IS NOT NULL`,
    ...textTables(dialect, "memories"),
  ];
}

/**
 * The index of a table's texts: terms made by the program, and facets to filter by, told apart by a letter
 * before each. It need not know where in a text they stand. What `text_progress` has reached is in it.
 */
function textTables({ name }: Dialect, table: string): string[] {
  if (name === "sqlite") {
    return [
      `CREATE VIRTUAL TABLE ${table}_text USING fts5(
         terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
       )`,
    ];
  }
  return [
    `CREATE TABLE ${table}_text (rowid BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL)`,
    `CREATE INDEX ${table}_text_terms ON ${table}_text USING gin (terms)`,
  ];
}
