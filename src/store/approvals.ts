import type { ApprovalAnswer, ApprovalRequest } from "../contract/ports/interact.js";
import type { ApprovalStore, StoredApproval } from "../contract/ports/state.js";
import type { Database } from "./database.js";
import { parseColumn, toColumn } from "./json-column.js";
import { fromIdentity, livenessOf, toIdentity } from "./process-identity.js";
import type { StateParts } from "./state-parts.js";

interface ApprovalRow {
  id: string;
  request: string;
  owner: string;
  opened_at: number;
  answer: string | null;
  resolved_at: number | null;
}

const keepAnsweredMs = 30 * 24 * 60 * 60 * 1000;
// A process in another container cannot be looked at; its requests end a day after they ran out.
const keepUnknownMs = 24 * 60 * 60 * 1000;

/** Requests for consent, kept so that one whose process died ends as denied, not as forgotten. */
export function createApprovals({ database, clock, self }: StateParts): ApprovalStore {
  const owner = fromIdentity(self);
  const isOver = (row: ApprovalRow): boolean => {
    if (row.owner === owner) return true;
    const liveness = livenessOf(toIdentity(row.owner), self);
    return liveness === "dead" || (liveness === "unknown" && row.opened_at < clock.now() - keepUnknownMs);
  };
  const pending = (): ApprovalRow[] =>
    database.all<ApprovalRow>("SELECT * FROM approvals WHERE answer IS NULL ORDER BY opened_at, id");
  const answer = (id: string, text: string): number =>
    database.run(
      "UPDATE approvals SET answer = ?, resolved_at = ? WHERE id = ? AND answer IS NULL",
      text,
      clock.now(),
      id,
    );

  return {
    async open(request) {
      const text = toColumn(request, "A request for consent");
      await database.write(() => {
        database.run("DELETE FROM approvals WHERE resolved_at < ?", clock.now() - keepAnsweredMs);
        database.run(
          `INSERT INTO approvals (id, request, owner, opened_at) VALUES (?, ?, ?, ?)`,
          request.id,
          text,
          owner,
          clock.now(),
        );
      });
    },
    async resolve(id, given) {
      const text = toColumn(given, "An answer");
      return (await database.write(() => answer(id, text))) > 0;
    },
    async expireAll(reason) {
      const text = toColumn({ verdict: "no", reason } satisfies ApprovalAnswer, "An answer");
      return database.write(() => {
        const over = pending().filter(isOver);
        for (const row of over) answer(row.id, text);
        return over.length;
      });
    },
    async get(id) {
      const row = database.get<ApprovalRow>("SELECT * FROM approvals WHERE id = ?", id);
      return row && fromRow(database, row);
    },
    pending: async () => pending().map((row) => fromRow(database, row)),
  };
}

function fromRow(database: Database, row: ApprovalRow): StoredApproval {
  const name = `approval ${row.id}`;
  return {
    request: parseColumn<ApprovalRequest>(row.request, name, database.file),
    openedAt: row.opened_at,
    ...(row.answer === null ? {} : { answer: parseColumn<ApprovalAnswer>(row.answer, name, database.file) }),
    ...(row.resolved_at === null ? {} : { resolvedAt: row.resolved_at }),
  };
}
