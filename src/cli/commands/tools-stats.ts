import type { Command } from "commander";
import { type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { colorsFor, table, writeResult } from "../output.js";
import { parseTime } from "../parse-time.js";
import type { ToolReport } from "../../runtime/catalogue/tool-report.js";
import { toVisibleLine } from "../../text/visible-text.js";

/** `tenon tools stats`: statistics of tools, from the log of all processes. */
export function addToolsStats(tools: Command, terminal: Terminal): void {
  addCommand(
    tools,
    "stats",
    "Show statistics of tools and their versions: running times, waiting for people, tokens, advice",
  )
    .argument("[tool]", "only tools whose name matches this glob")
    .option("--since <when>", "only calls since a time: 2h, 7d or 2026-11-16", "7d")
    .action(async (tool: string | undefined, _own: unknown, command: Command) => {
      // `tools` has the same flags and parses them first.
      const flags = command.optsWithGlobals<CommonFlags & { readonly since: string }>();
      const since = parseTime(flags.since, Date.now(), "--since");
      await withTenon(terminal, flags, async (open) => {
        const reports = await open.tenon.toolReport({ since, ...(tool !== undefined && { tool }) });
        writeResult(open, reports, () => describeReports(terminal, reports, flags.since));
      });
    });
}

function describeReports(terminal: Terminal, reports: readonly ToolReport[], since: string): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  if (reports.length === 0) return `No calls in the log since ${since}.`;
  const head = [
    "TOOL",
    "CALLS",
    "FAILED",
    "DENIED",
    "P50",
    "P95",
    "P99",
    "MAX",
    "PEOPLE",
    "TOKENS",
    "ERRORS",
  ];
  const rows = reports.flatMap((report) => [
    [colors.bold(toVisibleLine(report.tool)), ...cells(report), tokensOf(report), errorsOf(report)],
    ...versionRows(report).map((row) => row.map((cell) => colors.dim(cell))),
  ]);
  const advice = reports.flatMap(({ tool, advice: texts }) =>
    texts.map((text) => `${toVisibleLine(tool)}: ${text}`),
  );
  const section = advice.length === 0 ? [] : ["", colors.bold("Advice"), ...advice];
  return [table([head, ...rows], { width: terminal.stdout.columns }), ...section].join("\n");
}

/** One line per version, if there is something to compare. */
function versionRows({ versions, experiment }: ToolReport): readonly (readonly string[])[] {
  if (versions.length < 2 && experiment === undefined) return [];
  return versions.map((version) => {
    const arm = experiment?.find((one) => one.version === version.version);
    const share = arm === undefined ? "" : ` (weight ${arm.weight})`;
    return [`  @${version.version}${share}`, ...cells(version), `${version.resultTokens}`, ""];
  });
}

function cells(report: ToolReport["versions"][number] | ToolReport): readonly string[] {
  const { calls, failures, denied, p50, p95, p99, max, waitedForPeople } = report;
  const waited = waitedForPeople === 0 ? "–" : inMs(waitedForPeople);
  return [`${calls}`, `${failures}`, `${denied}`, ...[p50, p95, p99, max].map(inMs), waited];
}

/** Of its definition, and of a result on average. */
function tokensOf({ definitionTokens, resultTokens }: ToolReport): string {
  return `${definitionTokens ?? "–"} + ${resultTokens}`;
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
