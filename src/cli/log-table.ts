import type { ApprovalResolution } from "../contract/ports/approval.js";
import type { AuditAlert, AuditRecord } from "../contract/ports/audit.js";
import type { Terminal } from "./command-line.js";
import { isRecord } from "../contract/is-record.js";
import { colorsFor, paintDiff, table, shortenLine, type Colors } from "./output.js";
import { toVisibleLine } from "../text/visible-text.js";
import { toVisibleValue } from "../text/visible-value.js";

/** Records as a table, in the order given. */
export function logTable(terminal: Terminal, records: readonly AuditRecord[], titled = true): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const paint = outcomePaint(colors);
  const rows = records.map((record) => [
    colors.dim(timeText(record.time)),
    toVisibleLine(record.callId),
    paint[record.outcome](record.outcome),
    colors.bold(toVisibleLine(record.tool)),
    `${Math.round(record.durationMs)} ms`,
    toVisibleLine(record.agent),
    toVisibleLine(summaryOf(record)),
  ]);
  const title = ["TIME", "CALL", "OUTCOME", "TOOL", "TOOK", "AGENT", "ARGUMENTS"];
  return table(titled ? [title, ...rows] : rows, { width: terminal.stdout.columns, cut: true });
}

function outcomePaint({ green, red, yellow, magenta }: Colors) {
  return { success: green, failure: red, denied: yellow, interrupted: magenta };
}

/** One call for a person: what happened first, and how the record is chained last. */
export function describeRecord(terminal: Terminal, record: AuditRecord): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const { arguments: args, result: whole, error, decision, approval, client, ...rest } = record;
  const { tool, outcome, time, durationMs, seq, hash, previous, ...facts } = rest;
  const { diff, result } = splitDiff(whole);
  const program = client && [client.name, client.version].filter(Boolean).join(" ");
  const took = `${timeText(time)}, took ${Math.round(durationMs)} ms`;
  const sections = [
    `${colors.bold(toVisibleLine(tool))}: ${outcomePaint(colors)[outcome](outcome)}, ${took}`,
    error && `${colors.bold("error")}\n${indent(error)}`,
    `${colors.bold("arguments")}\n${indent(args)}`,
    result === undefined ? undefined : `${colors.bold("result")}\n${indent(result)}`,
    diff && `${colors.bold("diff")}\n${paintDiff(diff, colors)}`,
    decision &&
      `${colors.bold("decision")}\n  ${decision.behavior}: ${toVisibleLine(decision.reason)} (rule ${toVisibleLine(decision.rule)}, ${decision.source})`,
    approval && `${colors.bold("consent")}\n${describeConsent(approval)}`,
    table(factRows({ ...facts, client: program, seq, hash, previous }, colors)),
  ];
  return sections.filter((section) => section !== undefined).join("\n\n");
}

function factRows(facts: object, { dim }: Colors): string[][] {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => [
      dim(name),
      toVisibleLine(typeof value === "string" ? value : (JSON.stringify(value) ?? "")),
    ]);
}

/** What a call changed is shown as a diff, not as a text among others. */
function splitDiff(result: unknown): { readonly result: unknown; readonly diff?: string } {
  if (!isRecord(result) || typeof result["diff"] !== "string" || result["diff"] === "") return { result };
  const { diff, ...rest } = result;
  return { result: rest, diff };
}

/** The decision of a person: where, after how long, and its effects. */
function describeConsent(approval: ApprovalResolution): string {
  const { verdict, channel, person, client, waitedMs, reason, rule, changed } = approval;
  const by = [
    channel === undefined ? "no answer" : `on channel ${channel}`,
    person !== undefined && `by ${person}`,
    client !== undefined && `through ${[client.name, client.version].filter(Boolean).join(" ")}`,
    `after ${(waitedMs / 1000).toFixed(1)} s`,
  ];
  const lines = [
    `${verdict}: ${by.filter((part) => part !== false).join(", ")}`,
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...(rule === undefined ? [] : [`rule ${rule.id} (${rule.source}): ${rule.text}`]),
    ...(changed === undefined ? [] : [`requested: ${JSON.stringify(changed.from)}`]),
    ...(changed === undefined ? [] : [`changed to: ${JSON.stringify(changed.to)}`]),
  ];
  return lines.map((line) => `  ${toVisibleLine(line)}`).join("\n");
}

export function alertLines(terminal: Terminal, alerts: readonly AuditAlert[]): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  return alerts
    .map(
      ({ time, kind, message }) =>
        `${colors.yellow(`! ${kind}`)}  ${timeText(time)}  ${toVisibleLine(message)}\n`,
    )
    .join("");
}

/** Local time to the second, in sortable form. */
function timeText(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

function summaryOf({ arguments: args, argumentsDigest, error }: AuditRecord): string {
  const text =
    argumentsDigest === undefined ? (JSON.stringify(args) ?? "") : `[${argumentsDigest.bytes} bytes]`;
  const short = shortenLine(text, 200);
  return error === undefined ? short : `${error.code} ${short}`;
}

function indent(value: unknown): string {
  return (toVisibleValue(value) || "none")
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
