import type { ApprovalAnswer, ApprovalRequest } from "../contract/ports/interact.js";
import type { ApprovalStore, StoredApproval } from "../contract/ports/state.js";
import { toLastAnswer, withApprover } from "../contract/four-eyes.js";
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
export function createApprovals({ database, clock, self }: StateParts, maxApprovals: number): ApprovalStore {
  const owner = fromIdentity(self);
  const ownerOf = (row: ApprovalRow): StoredApproval["owner"] => {
    if (row.owner === owner) return "self";
    const liveness = livenessOf(toIdentity(row.owner), self, database.dialect);
    return liveness === "dead" ? "gone" : liveness;
  };
  const isOver = (row: ApprovalRow): boolean => {
    const of = ownerOf(row);
    return (
      of === "self" || of === "gone" || (of === "unknown" && row.opened_at < clock.now() - keepUnknownMs)
    );
  };
  const toStored = (row: ApprovalRow): StoredApproval => ({
    ...fromRow(row, database.name),
    owner: ownerOf(row),
  });
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
        await dropOldest(tx, maxApprovals);
        const insert = "INSERT INTO approvals (id, request, owner, opened_at) VALUES (?, ?, ?, ?)";
        await tx.run(insert, [request.id, text, owner, clock.now()]);
      });
    },
    async reopen(request) {
      const text = toColumn(request, "A request for consent");
      const update = "UPDATE approvals SET request = ?, answer = NULL, resolved_at = NULL WHERE id = ?";
      await database.run(update, [text, request.id]);
    },
    resolve: async (id, given) => answer(database, id, toColumn(given, "An answer")),
    approve: (id, approver) =>
      database.transaction(async (tx) => {
        const row = await tx.get<ApprovalRow>("SELECT * FROM approvals WHERE id = ? AND answer IS NULL", [
          id,
        ]);
        if (row === undefined) return undefined;
        const request = withApprover(fromRow(row, database.name).request, approver);
        await tx.run("UPDATE approvals SET request = ? WHERE id = ?", [
          toColumn(request, "A request for consent"),
          id,
        ]);
        const last = toLastAnswer(request);
        if (last !== undefined) await answer(tx, id, toColumn(last, "An answer"));
        const changed = await tx.get<ApprovalRow>("SELECT * FROM approvals WHERE id = ?", [id]);
        return changed && toStored(changed);
      }),
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
      return row && toStored(row);
    },
    pending: async () => (await pending(database)).map(toStored),
  };
}

/** Only answered ones; open requests are kept. */
async function dropOldest(tx: Sql, max: number): Promise<void> {
  const answered = "FROM approvals WHERE answer IS NOT NULL";
  const found = await tx.get<{ count: number }>(`SELECT count(*) AS count ${answered}`);
  const surplus = (found?.count ?? 0) - max;
  if (surplus <= 0) return;
  await tx.run(`DELETE FROM approvals WHERE id IN (SELECT id ${answered} ORDER BY resolved_at, id LIMIT ?)`, [
    surplus,
  ]);
}

function fromRow(row: ApprovalRow, database: string): Omit<StoredApproval, "owner"> {
  const name = `approval ${row.id}`;
  return {
    request: parseColumn<ApprovalRequest>(row.request, name, database),
    openedAt: row.opened_at,
    ...(row.answer === null ? {} : { answer: parseColumn<ApprovalAnswer>(row.answer, name, database) }),
    ...(row.resolved_at === null ? {} : { resolvedAt: row.resolved_at }),
  };
}
