import { ToolUnavailableError } from "../contract/errors.js";
import { dialectOf } from "./dialect.js";
import { initial } from "./migrations/001-initial.js";
import { places } from "./migrations/002-places.js";
import { work } from "./migrations/003-work.js";
import { answers } from "./migrations/004-answers.js";
import { access } from "./migrations/005-access.js";
import { logins } from "./migrations/006-logins.js";
import { audiences } from "./migrations/007-audiences.js";
import { secrets } from "./migrations/008-secrets.js";
import { journalIndexes } from "./migrations/009-journal-indexes.js";
import { commandCalls } from "./migrations/010-command-calls.js";
import type { Migration } from "./migrations/migration.js";
import type { Sql } from "./sql.js";

/** Each entry takes the schema one version forward; entries are only ever added. */
export const migrations: readonly Migration[] = [
  initial,
  places,
  work,
  answers,
  access,
  logins,
  audiences,
  secrets,
  journalIndexes,
  commandCalls,
];

/** Where a database keeps the version of its schema. */
export interface Versioned {
  /** Its name in messages. */
  readonly name: string;
  version(sql: Sql): Promise<number>;
  setVersion(sql: Sql, version: number): Promise<void>;
}

/** Run the steps that are missing, inside a transaction of the caller; a version from the future is refused. */
export async function migrate(
  tx: Sql,
  versioned: Versioned,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  // Another process may have migrated while this one waited for its turn.
  const current = await versioned.version(tx);
  refuseNewer(current, versioned.name, steps.length);
  for (const step of steps.slice(current)) {
    for (const statement of step.statements(dialectOf(tx.dialect))) await tx.run(statement);
  }
  await versioned.setVersion(tx, steps.length);
}

/** The tables of a schema version that belong in a backup, those that others refer to first. */
export function tablesOf(version: number): readonly string[] {
  return migrations.slice(0, version).flatMap((step) => step.tables);
}

/** Refuse a schema that a later Tenon made. */
export function refuseNewer(version: number, name: string, known: number = migrations.length): void {
  if (version <= known) return;
  throw new ToolUnavailableError(
    `The state ${name} has schema version ${version}, but this Tenon knows only up to ${known}.`,
    {
      code: "STATE_TOO_NEW",
      hint: "Update Tenon, or choose another state directory (TENON_STATE_DIR). The state was not touched.",
      retryable: false,
    },
  );
}
