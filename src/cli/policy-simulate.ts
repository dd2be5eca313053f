import type { Command } from "commander";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { AuditRecord } from "../contract/ports/audit.js";
import type { Policy } from "../policy/create-policy.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import type { Explained } from "../call/explain.js";
import { resolveConfig } from "../config/resolve-config.js";
import { parseYaml } from "../config/parse-yaml.js";
import type { Session } from "../runtime/sessions/session.js";
import { UsageError, type CommonFlags, type Terminal, addCommand } from "./command-line.js";
import { withTenon, type OpenTenon } from "./open-tenon.js";
import { colorsFor, table, writeResult, shortenLine } from "./output.js";
import { parseTime } from "./parse-time.js";
import { toVisibleLine } from "../text/visible-text.js";
import { wholeNumber } from "./whole-number.js";

interface SimulateFlags extends CommonFlags {
  readonly rules?: string;
  readonly since?: string;
  readonly limit: string;
}

/** A past call that would be decided differently. */
interface Change {
  readonly tool: string;
  readonly arguments: unknown;
  readonly agent: string;
  readonly from: Decision;
  readonly to: Decision;
  readonly rule: string;
  readonly reason: string;
  readonly calls: number;
  readonly lastCallId: string;
  /** Paths that its command changed, and that would not be committed by themselves. */
  readonly paths?: readonly string[];
}

type Decision = "allow" | "ask" | "deny";

/** `tenon policy simulate`: what other rules would have decided about past calls; nothing is run. */
export function addSimulate(policy: Command, terminal: Terminal): void {
  addCommand(policy, "simulate", "Show which past calls other rules would decide differently; runs nothing")
    .option("--rules <file>", "JSON or YAML file with the rules to try, placed before all others")
    .option("--since <time>", 'calls since a time: "2h", "3d" or a date')
    .option("--limit <n>", "maximum number of calls, newest first", "10000")
    .action(async (flags: SimulateFlags) => {
      const tried = flags.rules === undefined ? [] : await readRules(resolve(terminal.cwd, flags.rules));
      return withTenon(terminal, flags, (open) => simulate(open, flags, tried));
    });
}

async function readRules(file: string): Promise<readonly PolicyRule[]> {
  // JSON is YAML too.
  const { value: read, faults } = await parseYaml(await readFile(file, "utf8"));
  if (faults[0] !== undefined) throw new UsageError(`Cannot read ${file}: ${faults[0].message}`);
  const list = Array.isArray(read)
    ? read
    : (read as { policy?: { rules?: unknown }; rules?: unknown } | null);
  const rules = Array.isArray(list) ? list : (list?.rules ?? list?.policy?.rules);
  if (!Array.isArray(rules)) throw new UsageError(`${file} has no list of rules.`);
  return resolveConfig({ policy: { rules: rules as PolicyRule[] } as never }).policy
    .rules as readonly PolicyRule[];
}

async function simulate(open: OpenTenon, flags: SimulateFlags, tried: readonly PolicyRule[]): Promise<void> {
  const { tenon, terminal } = open;
  await tenon.ready();
  putFirst(tenon.policy, tried);
  const limit = wholeNumber("--limit", flags.limit, 100_000);
  const since = flags.since === undefined ? undefined : parseTime(flags.since, Date.now(), "--since");
  const records = await tenon.audit.search({ since, limit });
  const { changes, counts } = await judgeAll(open, records);
  const summary = {
    calls: records.length,
    changed: changes.reduce((sum, { calls }) => sum + calls, 0),
    ...counts,
  };
  writeResult(open, { ...summary, changes }, () => describeChanges(terminal, changes, summary));
}

/** Rules of one source apply in order of addition, so the existing ones are added again after these. */
function putFirst(policy: Policy, tried: readonly PolicyRule[]): void {
  if (tried.length === 0) return;
  const own = policy.rules().filter(({ source }) => source === "command-line");
  for (const { id } of own) policy.removeRule(id);
  for (const rule of tried) policy.addRule("command-line", rule);
  for (const { id, rule } of own) policy.addRule("command-line", { ...rule, id });
}

interface SimulationResult {
  readonly changes: readonly Change[];
  /** Decisions under the tried rules. */
  readonly counts: Readonly<Record<Decision, number>>;
}

async function judgeAll({ tenon }: OpenTenon, records: readonly AuditRecord[]): Promise<SimulationResult> {
  const sessions = new Map<string, Session>();
  const known = new Map<string, Change | undefined>();
  const verdicts = new Map<string, Decision>();
  const counts = { allow: 0, ask: 0, deny: 0 };
  for (const record of records) {
    const from = pastDecision(record);
    // Calls without a decision, or whose arguments are no longer complete, cannot be judged.
    if (from === undefined || typeof record.arguments !== "object" || record.purged !== undefined) continue;
    const { tool, arguments: args, agent, userId } = record;
    const changed = committedPaths(await wholeRecord(tenon, record));
    const key = JSON.stringify([tool, args, agent, userId, from, changed]);
    const before = known.get(key);
    const verdict = verdicts.get(key);
    if (verdict !== undefined) {
      counts[verdict]++;
      if (before !== undefined) known.set(key, { ...before, calls: before.calls + 1 });
      continue;
    }
    const who = JSON.stringify([agent, userId]);
    const session =
      sessions.get(who) ?? tenon.createSession({ agent, ...(userId !== undefined && { userId }) });
    sessions.set(who, session);
    const explained = await session.explain({ name: tool, arguments: args }, { changes: changed });
    const { to, rule, reason, paths } = withChanges(explained);
    verdicts.set(key, to);
    counts[to]++;
    const change = {
      tool,
      arguments: args,
      agent,
      from,
      to,
      rule,
      reason,
      calls: 1,
      lastCallId: record.callId,
      ...(paths.length > 0 && { paths }),
    };
    known.set(key, from === to ? undefined : change);
  }
  return { counts, changes: [...known.values()].filter((change) => change !== undefined) };
}

/** A long result of a command is stored next to the log. */
async function wholeRecord(tenon: OpenTenon["tenon"], record: AuditRecord): Promise<AuditRecord> {
  const isAside = record.result === undefined && record.resultDigest !== undefined;
  if (!isAside || tenon.registry.get(record.tool)?.shellLine === undefined) return record;
  return (await tenon.audit.get(record.seq)) ?? record;
}

/** What a command changed and committed, as its result lists it. */
function committedPaths({ result }: AuditRecord): readonly string[] {
  const { committed, changes, heldBack } = Object(result) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(changes) || (committed !== "all" && committed !== "part")) return [];
  const held = new Set(pathsIn(heldBack));
  return pathsIn(changes).filter((path) => !held.has(path));
}

function pathsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const { path } = Object(item) as { readonly path?: unknown };
    return typeof path === "string" ? [path.replace(/\/$/, "")] : [];
  });
}

/** The strictest decision on the call and on what it changed. */
function withChanges({ decision, rule, reason, changes = [] }: Explained): {
  readonly to: Decision;
  readonly rule: string;
  readonly reason: string;
  readonly paths: readonly string[];
} {
  const [worst] = changes.toSorted((one, other) => strictness[other.decision] - strictness[one.decision]);
  if (worst === undefined || strictness[worst.decision] <= strictness[decision])
    return { to: decision, rule, reason, paths: [] };
  const paths = changes.filter((change) => change.decision === worst.decision).map(({ path }) => path);
  const verb = worst.decision === "deny" ? "denies changing" : "asks before changing";
  return { to: worst.decision, rule: worst.rule, reason: `the rule ${verb} ${paths.join(", ")}`, paths };
}

const strictness = { allow: 0, ask: 1, deny: 2 };

/** What was decided then; a refusal by a guard counts as a denial. */
function pastDecision({ decision, outcome }: AuditRecord): Decision | undefined {
  const refused = outcome === "denied" && decision?.behavior !== "ask";
  return refused ? "deny" : decision?.behavior;
}

function describeChanges(
  terminal: Terminal,
  changes: readonly Change[],
  summary: { readonly calls: number; readonly changed: number } & SimulationResult["counts"],
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
  const list = rows.length === 0 ? "" : `${table([title, ...rows], terminal.stdout.columns)}\n`;
  const { calls, changed, allow, ask, deny } = summary;
  return `${list}${changed} of ${calls} past calls would be decided differently. In total: ${allow} allowed, ${ask} asked, ${deny} denied.`;
}
