import { ToolUnavailableError } from "../contract/errors.js";
import type { AnswerLimits, AnswerStore, KeptCall, KeyedCall } from "../contract/ports/answers.js";
import { fromIdentity, livenessOf, toIdentity } from "./process-identity.js";
import type { Sql } from "./sql.js";
import type { StateParts } from "./state-parts.js";

interface AnswerRow {
  fingerprint: string;
  call_id: string;
  owner: string;
  ended_at: number | null;
  answer: string | null;
}

export const defaultAnswerLimits: AnswerLimits = { maxAgeMs: 24 * 60 * 60 * 1000, maxKeys: 10_000 };

/** Answers of calls by the caller's key: one call a key, whichever process it was sent to. */
export function createAnswers({ database, clock, self }: StateParts, limits: AnswerLimits): AnswerStore {
  const owner = fromIdentity(self);
  const find = async (sql: Sql, { principal, key }: Pick<KeyedCall, "principal" | "key">) => {
    const row = await sql.get<AnswerRow>("SELECT * FROM answers WHERE principal = ? AND name = ?", [
      principal,
      key,
    ]);
    return row && toKept(row);
  };
  const toKept = ({ fingerprint, call_id: callId, owner: by, ended_at, answer }: AnswerRow): KeptCall => {
    const isLost = (): boolean =>
      by !== owner && livenessOf(toIdentity(by), self, database.dialect) === "dead";
    const state = ended_at !== null ? "done" : isLost() ? "lost" : "running";
    return { fingerprint, callId, state, ...(answer !== null && { answer }) };
  };
  return {
    claim: (call) =>
      database.transaction(async (tx) => {
        await tx.run("DELETE FROM answers WHERE claimed_at < ?", [clock.now() - limits.maxAgeMs]);
        const known = await find(tx, call);
        if (known !== undefined) return known;
        const count = await tx.get<{ count: number }>("SELECT count(*) AS count FROM answers");
        if ((count?.count ?? 0) >= limits.maxKeys) throw full(limits);
        const { principal, key, fingerprint, callId } = call;
        await tx.run(
          "INSERT INTO answers (principal, name, fingerprint, call_id, owner, claimed_at) VALUES (?, ?, ?, ?, ?, ?)",
          [principal, key, fingerprint, callId, owner, clock.now()],
        );
        return undefined;
      }),
    get: (principal, key) => find(database, { principal, key }),
    async finish({ principal, key, callId }, answer) {
      const sql =
        "UPDATE answers SET ended_at = ?, answer = ? WHERE principal = ? AND name = ? AND call_id = ?";
      await database.run(sql, [clock.now(), answer ?? null, principal, key, callId]);
    },
    async release({ principal, key, callId }) {
      const sql = "DELETE FROM answers WHERE principal = ? AND name = ? AND call_id = ? AND ended_at IS NULL";
      await database.run(sql, [principal, key, callId]);
    },
  };
}

function full({ maxKeys }: AnswerLimits): ToolUnavailableError {
  return new ToolUnavailableError(`${maxKeys} idempotency keys are in use already.`, {
    code: "IDEMPOTENCY_FULL",
    hint: "Send the call without a key, or wait until older keys have expired; `idempotency.maxKeys` sets the limit.",
    retryable: true,
  });
}
