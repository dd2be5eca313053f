import { failsMore, reportLog, type LoggedTool, type ReportedCall } from "../../record/log-report.js";
import {
  adviseCaching,
  adviseTimeout,
  type Proposal,
  type ToolSettings,
} from "../../record/optimiser-rules.js";
import type { AuditLog } from "../../contract/ports/audit.js";

/** Statistics of one tool from the log, with advice. */
export interface ToolReport extends LoggedTool {
  /** The versions of a running experiment, with their weights. */
  readonly experiment?: readonly { readonly version: string; readonly weight: number }[] | undefined;
  /** About as many tokens as its definition is to a model; absent where the tool is no longer there. */
  readonly definitionTokens?: number | undefined;
  readonly advice: readonly string[];
}

export interface ToolReportSources {
  readonly log: AuditLog;
  readonly settings: (toolName: string) => ToolSettings | undefined;
  readonly definitionTokens: (toolName: string) => number | undefined;
  readonly experiment: (toolName: string) => readonly { readonly version: string; readonly weight: number }[];
}

const minCalls = 20;
const maxTimeoutMs = 600_000;

/** Statistics of each tool from the log, over all processes of this workspace. */
export async function reportTools(
  sources: ToolReportSources,
  query: { readonly since?: number | undefined; readonly tool?: string | undefined } = {},
): Promise<readonly ToolReport[]> {
  const tools = await reportLog(parsed(sources.log.export(query)));
  return tools.map((tool) => {
    const experiment = sources.experiment(tool.tool);
    const definitionTokens = sources.definitionTokens(tool.tool);
    return {
      ...tool,
      ...(experiment.length > 0 && { experiment }),
      ...(definitionTokens !== undefined && { definitionTokens }),
      advice: adviseOn(tool, sources),
    };
  });
}

async function* parsed(lines: AsyncIterable<string>): AsyncGenerator<ReportedCall> {
  for await (const line of lines) yield JSON.parse(line) as ReportedCall;
}

function adviseOn(tool: LoggedTool, { settings }: ToolReportSources): readonly string[] {
  const current = settings(tool.tool);
  const ran = tool.calls - tool.denied;
  const sample = { ran, perWindow: tool.busiestMinute, waitRate: 0, avg: tool.avg, p95: tool.p95 };
  const proposals: (Proposal | undefined)[] =
    current === undefined
      ? []
      : [
          ran >= minCalls ? adviseTimeout(sample, current, maxTimeoutMs) : undefined,
          adviseCaching(sample, current),
        ];
  return [...proposals.flatMap((proposal) => proposal?.message ?? []), ...compareVersions(tool)];
}

function compareVersions({ versions }: LoggedTool): readonly string[] {
  return versions.flatMap((one) => {
    const better = versions.filter((other) => failsMore(one, other));
    if (better.length === 0) return [];
    const rate = (failures: number, calls: number): string => `${((100 * failures) / calls).toFixed(1)} %`;
    const others = better.map((other) => `${other.version} (${rate(other.failures, other.calls)})`);
    return [
      `Version ${one.version} fails more often (${rate(one.failures, one.calls)}) than ${others.join(", ")}; the difference is statistically significant.`,
    ];
  });
}
