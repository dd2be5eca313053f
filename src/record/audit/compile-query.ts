import { ownerOfSession } from "../../contract/ownership.js";
import type { AuditQuery } from "../../contract/ports/audit.js";
import { compileName } from "../../glob/name-glob.js";
import { outcomes, type SegmentIndex } from "./segment-index.js";

/** Whether a row of a segment fits a query, but for its text; `undefined` where none can. */
export function compileQuery(index: SegmentIndex, query: AuditQuery): ((row: number) => boolean) | undefined {
  const { names } = index;
  const ids = [query.agent, query.taskId, query.sessionId].map((name) =>
    name === undefined ? undefined : (names.find(name) ?? -1),
  );
  if (ids.includes(-1)) return undefined; // a name that the segment does not have
  const [agent, task, session] = ids;
  const outcome = query.outcome === undefined ? undefined : outcomes.indexOf(query.outcome);
  const { principal } = query;
  const sessions =
    principal === undefined ? undefined : names.names.map((name) => ownerOfSession(name) === principal);
  const tools = query.tool === undefined ? undefined : fitting(names.names, query.tool);
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = query;
  return (row) => {
    const time = index.time.at(row);
    return (
      index.isCall(row) &&
      time >= since &&
      time <= until &&
      (outcome === undefined || index.outcome.at(row) === outcome) &&
      (task === undefined || index.task.at(row) === task) &&
      (session === undefined || index.session.at(row) === session) &&
      (sessions === undefined || sessions[index.session.at(row)] === true) &&
      (agent === undefined || index.agent.at(row) === agent) &&
      (tools === undefined || tools[index.tool.at(row)] === true)
    );
  };
}

function fitting(names: readonly string[], pattern: string): boolean[] {
  const { test } = compileName(pattern);
  return names.map((name) => test(name));
}
