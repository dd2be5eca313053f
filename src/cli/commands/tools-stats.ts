import type { Command } from "commander";
import { withCommonFlags, type CommonFlags, type Terminal } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, table, writeJson } from "../output.js";
import { parseTime } from "../parse-time.js";
import type { ToolReport } from "../../runtime/catalogue/tool-report.js";
import { toVisibleLine } from "../../text/visible-text.js";

/** `tenon tools stats`: how the tools did, from the log of all processes. */
export function addToolsStats(tools: Command, terminal: Terminal): void {
  withCommonFlags(tools.command("stats").description("Show how tools did, version by version, and advice"))
    .argument("[tool]", "only tools whose name fits this glob")
    .option("--since <when>", "only calls since then: 2h, 7d, 2026-11-16", "7d")
    .action(async (tool: string | undefined, _own: unknown, command: Command) => {
      // `tools` knows the same flags and takes them first.
      const flags = command.optsWithGlobals<CommonFlags & { readonly since: string }>();
      const since = parseTime(flags.since, Date.now(), "--since");
      await withTenon(terminal, flags, async ({ tenon }) => {
        const reports = await tenon.toolReport({ since, ...(tool !== undefined && { tool }) });
        if (flags.json === true) writeJson(terminal, reports);
        else show(terminal, reports, flags.since);
      });
    });
}

function show(terminal: Terminal, reports: readonly ToolReport[], since: string): void {
  const colors = colorsFor(terminal.stdout, terminal.env);
  if (reports.length === 0) {
    terminal.stdout.write(`No calls in the log since ${since}.\n`);
    return;
  }
  const head = ["TOOL", "CALLS", "FAILED", "DENIED", "P50", "P95", "P99", "MAX", "ERRORS"];
  const rows = reports.flatMap((report) => [
    [colors.bold(toVisibleLine(report.tool)), ...cells(report), errorsOf(report)],
    ...versionRows(report).map((row) => row.map((cell) => colors.dim(cell))),
  ]);
  terminal.stdout.write(`${table([head, ...rows])}\n`);
  const advised = reports.filter(({ advice }) => advice.length > 0);
  if (advised.length === 0) return;
  terminal.stdout.write(`\n${colors.bold("Advice")}\n`);
  for (const { tool, advice } of advised)
    for (const text of advice) terminal.stdout.write(`${toVisibleLine(tool)}: ${text}\n`);
}

/** Versions are worth a line each where there is something to compare. */
function versionRows({ versions, experiment }: ToolReport): readonly (readonly string[])[] {
  if (versions.length < 2 && experiment === undefined) return [];
  return versions.map((version) => {
    const arm = experiment?.find((one) => one.version === version.version);
    const share = arm === undefined ? "" : ` (weight ${arm.weight})`;
    return [`  @${version.version}${share}`, ...cells(version), ""];
  });
}

function cells(report: ToolReport["versions"][number] | ToolReport): readonly string[] {
  const { calls, failures, denied, p50, p95, p99, max } = report;
  return [`${calls}`, `${failures}`, `${denied}`, ...[p50, p95, p99, max].map(inMs)];
}

function errorsOf({ errors }: ToolReport): string {
  return Object.entries(errors)
    .toSorted(([, one], [, other]) => other - one)
    .map(([type, count]) => `${type} ${count}`)
    .join(", ");
}

function inMs(ms: number): string {
  return ms >= 10_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${ms >= 100 ? Math.round(ms) : ms.toPrecision(2)} ms`;
}
