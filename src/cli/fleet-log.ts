import { ToolResourceNotFoundError } from "../contract/errors.js";
import { setTimeout as pause } from "node:timers/promises";
import type { AuditHead, AuditQuery, AuditRecord, AuditVerdict } from "../contract/ports/audit.js";
import type { LogPage } from "../server/api.js";
import { plural } from "../text/plural.js";
import { toVisibleText } from "../text/visible-text.js";
import { exitCodes } from "./command-line.js";
import { describeRecord, logTable } from "./log-table.js";
import { askEach, type OpenFleet } from "./open-fleet.js";
import { writeJson, writeResult } from "./output.js";

/** A record, and in which workspace it is. */
type FleetRecord = AuditRecord & { readonly workspace: string };

const pageSize = 1000;

/** The newest calls of all workspaces, oldest first. */
async function searchFleet(
  open: OpenFleet,
  { limit = 50, ...query }: AuditQuery,
): Promise<readonly FleetRecord[]> {
  const found = await askEach(open, (workspace) => searchOne(open, workspace, { ...query, limit }));
  return found
    .flatMap(({ workspace, answer }) => answer.map((record) => ({ ...record, workspace })))
    .sort((one, other) => other.time - one.time)
    .slice(0, limit)
    .toReversed();
}

async function searchOne(
  { ask }: OpenFleet,
  workspace: string,
  { limit = 50, ...query }: AuditQuery,
): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  let before: number | undefined;
  do {
    const asked = { ...query, before, limit: Math.min(pageSize, limit - records.length) };
    const response = await ask({ path: `/api/log${toSearch(asked)}`, workspace });
    const page = (await response.json()) as LogPage;
    records.push(...page.records);
    before = page.next;
  } while (before !== undefined && records.length < limit);
  return records;
}

/** `tenon log` across a fleet. */
export async function listFleet(open: OpenFleet, query: AuditQuery): Promise<void> {
  const records = await searchFleet(open, query);
  writeRecords(open, records, true);
}

const pollMs = 1000;

/** `tenon log --follow` across a fleet. */
export async function followFleet(open: OpenFleet, query: AuditQuery): Promise<void> {
  const { terminal } = open;
  const nameOf = ({ workspace, seq }: FleetRecord): string => `${workspace} ${seq}`;
  const recent = { ...query, limit: pageSize };
  const known = new Set((await searchFleet(open, recent)).map(nameOf));
  while (!terminal.interrupted.aborted) {
    await pause(pollMs, undefined, { signal: terminal.interrupted }).catch(() => {});
    const fresh = (await searchFleet(open, recent)).filter((record) => !known.has(nameOf(record)));
    for (const record of fresh) known.add(nameOf(record));
    if (fresh.length > 0) writeRecords(open, fresh, false);
  }
}

function writeRecords(
  { terminal, flags }: OpenFleet,
  records: readonly FleetRecord[],
  titled: boolean,
): void {
  if (flags.json === true) for (const record of records) writeJson(terminal, record);
  else if (records.length === 0) terminal.stdout.write("No matching calls in the log.\n");
  else terminal.stdout.write(`${logTable(terminal, records, titled)}\n`);
}

/** `tenon log show` across a fleet: the id of a call is the same for all its workers. */
export async function showFleet(open: OpenFleet, id: string): Promise<void> {
  for (const workspace of open.workspaces) {
    const found = await open
      .ask({ path: `/api/log/${encodeURIComponent(id)}`, workspace })
      .catch(() => undefined);
    if (found === undefined) continue;
    const record = { ...((await found.json()) as AuditRecord), workspace };
    return writeResult(open, record, () => describeRecord(open.terminal, record));
  }
  throw new ToolResourceNotFoundError(`Call "${id}" not found in the logs of the fleet.`, {
    hint: "Run: tenon log --fleet",
  });
}

/** `tenon log verify` across a fleet: each worker checks its own, against the head that the database has of it. */
export async function verifyFleet(open: OpenFleet, head?: string): Promise<void> {
  const { terminal, flags } = open;
  const verdicts = await askEach(open, (workspace) => verifyOne(open, workspace, head));
  if (verdicts.some(({ answer }) => !answer.ok)) terminal.exitCode = exitCodes.failure;
  for (const { workspace, answer } of verdicts) {
    if (flags.json === true) writeJson(terminal, { workspace, ...answer });
    else if (answer.ok)
      terminal.stdout.write(
        `${workspace}: ${plural(answer.records, "record")} verified. Head ${answer.head.seq}:${answer.head.hash}\n`,
      );
    else
      terminal.stderr.write(
        `${workspace}: Record ${answer.seq} is invalid: ${toVisibleText(answer.problem)}.\n`,
      );
  }
}

async function verifyOne({ ask }: OpenFleet, workspace: string, head?: string): Promise<AuditVerdict> {
  const response = await ask({
    path: "/api/log/verify",
    workspace,
    body: head === undefined ? {} : { head },
  });
  return (await response.json()) as AuditVerdict;
}

/** `tenon log head` across a fleet. */
export async function headFleet(open: OpenFleet): Promise<void> {
  const heads = await askEach(open, async (workspace): Promise<AuditHead | undefined> => {
    const verdict = await verifyOne(open, workspace);
    return verdict.ok ? verdict.head : undefined;
  });
  for (const { workspace, answer } of heads)
    writeResult(open, { workspace, ...answer }, () =>
      answer === undefined ? `${workspace} broken` : `${workspace} ${answer.seq}:${answer.hash}`,
    );
}

/** `tenon log export` across a fleet: one workspace after the other, each line with its name. */
export async function exportFleet(open: OpenFleet, query: AuditQuery): Promise<void> {
  const { limit, ...filters } = query;
  const exported = await askEach(open, async (workspace) => {
    const response = await open.ask({ path: `/api/log/export${toSearch(filters)}`, workspace });
    return (await response.text()).split("\n").filter((line) => line !== "");
  });
  for (const { workspace, answer } of exported)
    for (const line of answer.slice(0, limit))
      writeJson(open.terminal, { workspace, ...(JSON.parse(line) as AuditRecord) });
}

function toSearch(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    Object.fromEntries(given.map(([key, value]) => [key, String(value)])),
  ).toString();
  return text === "" ? "" : `?${text}`;
}
