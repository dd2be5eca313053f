import type { Command } from "commander";
import { createSpinner, whileWorking } from "./spinner.js";
import { resolve } from "node:path";
import type { PolicyRule } from "../policy/policy-rule.js";
import { resolveConfig } from "../config/resolve-config.js";
import type { Simulation } from "../runtime/replay/simulate-rules.js";
import { parseYaml } from "../config/parse-yaml.js";
import { UsageError, type CommonFlags, type Terminal, addCommand } from "./command-line.js";
import { withTenon, type OpenTenon } from "./open-tenon.js";
import { colorsFor, table, writeResult, shortenLine } from "./output.js";
import { parseTime } from "./parse-time.js";
import { readNamedFile } from "./read-named-file.js";
import { toVisibleLine } from "../text/visible-text.js";
import { wholeNumber } from "./whole-number.js";

interface SimulateFlags extends CommonFlags {
  readonly rules?: string;
  readonly since?: string;
  readonly limit: string;
}

/** `tenon policy simulate`: what other rules would have decided about past calls; nothing is run. */
export function addSimulate(policy: Command, terminal: Terminal): void {
  addCommand(policy, "simulate", "Show which past calls other rules would decide differently; runs nothing")
    .option("--rules <file>", "JSON or YAML file with the rules to try, placed before all others")
    .option("--since <time>", 'calls since a time: "2h", "3d" or a date')
    .option("--limit <n>", "maximum number of calls, newest first", "10000")
    .action((flags: SimulateFlags) => {
      const tried = flags.rules === undefined ? [] : readRules(resolve(terminal.cwd, flags.rules));
      return withTenon(terminal, flags, (open) => simulate(open, flags, tried));
    });
}

function readRules(file: string): readonly PolicyRule[] {
  // JSON is YAML too.
  const { value: read, faults } = parseYaml(readNamedFile("--rules", file));
  if (faults[0] !== undefined) throw new UsageError(`Cannot read ${file}: ${faults[0].message}`);
  const list = Array.isArray(read)
    ? read
    : (read as { policy?: { rules?: unknown }; rules?: unknown } | null);
  const rules = Array.isArray(list) ? list : (list?.rules ?? list?.policy?.rules);
  if (!Array.isArray(rules)) throw new UsageError(`${file} has no list of rules.`);
  return resolveConfig({ policy: { rules: rules as PolicyRule[] } as never }).policy
    .rules as readonly PolicyRule[];
}

async function simulate(open: OpenTenon, flags: SimulateFlags, rules: readonly PolicyRule[]): Promise<void> {
  const { tenon, terminal } = open;
  await tenon.ready();
  const limit = wholeNumber("--limit", flags.limit, 100_000);
  const since = flags.since === undefined ? undefined : parseTime(flags.since, Date.now(), "--since");
  const spinner = createSpinner(open.terminal, flags);
  const simulation = await whileWorking(
    spinner,
    "Judging past calls,",
    tenon.simulate({ rules, since, limit }),
  );
  writeResult(open, simulation, () => describeChanges(terminal, simulation));
}

function describeChanges(
  terminal: Terminal,
  { changes, calls: total, changed, allow, ask, deny }: Simulation,
): string {
  const colors = colorsFor(terminal.stdout, terminal.env);
  const paint = { allow: colors.green, ask: colors.yellow, deny: colors.red };
  const rows = changes.map(({ tool, from, to, calls, agent, rule, arguments: args, paths }) => [
    `${paint[from](from)} → ${paint[to](to)}`,
    String(calls),
    colors.bold(toVisibleLine(tool)),
    toVisibleLine(agent),
    toVisibleLine(rule),
    shortenLine(
      toVisibleLine(`${paths === undefined ? "" : `changed ${paths.join(", ")}: `}${JSON.stringify(args)}`),
      120,
    ),
  ]);
  const title = ["DECISION", "CALLS", "TOOL", "AGENT", "RULE", "ARGUMENTS"];
  const list =
    rows.length === 0 ? "" : `${table([title, ...rows], { width: terminal.stdout.columns, cut: true })}\n`;
  return `${list}${changed} of ${total} past calls would be decided differently. In total: ${allow} allowed, ${ask} asked, ${deny} denied.`;
}
