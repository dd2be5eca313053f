import type { ApprovalAnswer, ApprovalRequest } from "../contract/ports/interact.js";
import type { ApprovalStore, StoredApproval } from "../contract/ports/state.js";
import { parseColumn, toColumn } from "./json-column.js";
import { fromIdentity, livenessOf, toIdentity } from "./process-identity.js";
import type { Sql } from "./sql.js";
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
    const liveness = livenessOf(toIdentity(row.owner), self, database.dialect);
    return liveness === "dead" || (liveness === "unknown" && row.opened_at < clock.now() - keepUnknownMs);
  };
  const pending = (sql: Sql): Promise<ApprovalRow[]> =>
    sql.all<ApprovalRow>("SELECT * FROM approvals WHERE answer IS NULL ORDER BY opened_at, id");
  const answer = async (sql: Sql, id: string, text: string): Promise<boolean> => {
    const update = "UPDATE approvals SET answer = ?, resolved_at = ? WHERE id = ? AND answer IS NULL";
    return (await sql.run(update, [text, clock.now(), id])).changes > 0;
  };

  return {
    async open(request) {
      const text = toColumn(request, "A request for consent");
      await database.transaction(async (tx) => {
        await tx.run("DELETE FROM approvals WHERE resolved_at < ?", [clock.now() - keepAnsweredMs]);
        const insert = "INSERT INTO approvals (id, request, owner, opened_at) VALUES (?, ?, ?, ?)";
        await tx.run(insert, [request.id, text, owner, clock.now()]);
      });
    },
    resolve: async (id, given) => answer(database, id, toColumn(given, "An answer")),
    async expireAll(reason) {
      const text = toColumn({ verdict: "no", reason } satisfies ApprovalAnswer, "An answer");
      return database.transaction(async (tx) => {
        const over = (await pending(tx)).filter(isOver);
        for (const row of over) await answer(tx, row.id, text);
        return over.length;
      });
    },
    async get(id) {
      const row = await database.get<ApprovalRow>("SELECT * FROM approvals WHERE id = ?", [id]);
      return row && fromRow(row, database.name);
    },
    pending: async () => (await pending(database)).map((row) => fromRow(row, database.name)),
  };
}

function fromRow(row: ApprovalRow, database: string): StoredApproval {
  const name = `approval ${row.id}`;
  return {
    request: parseColumn<ApprovalRequest>(row.request, name, database),
    openedAt: row.opened_at,
    ...(row.answer === null ? {} : { answer: parseColumn<ApprovalAnswer>(row.answer, name, database) }),
    ...(row.resolved_at === null ? {} : { resolvedAt: row.resolved_at }),
  };
}
