import type { Command } from "commander";
import type { Explained } from "../../call/explain.js";
import { createInterface } from "node:readline";
import type { ToolRequest } from "../../contract/call.js";
import type { PolicyRule } from "../../policy/policy-rule.js";
import { ruleText } from "../../policy/rule-text.js";
import { parseJson } from "../../schema/parse-json.js";
import {
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { colorsFor, table, writeJson } from "../output.js";
import { addSimulate } from "../policy-simulate.js";
import { readArguments } from "../read-arguments.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon policy`: the rules, and what they decide. */
export const addPolicy: AddCommand = (program, terminal) => {
  const policy = program.command("policy").description("See, change and try the rules");
  addList(policy, terminal);
  addRemember(policy, terminal, "allow");
  addRemember(policy, terminal, "deny");
  addRevoke(policy, terminal);
  addExplain(policy, terminal);
  addSimulate(policy, terminal);
};

function addList(policy: Command, terminal: Terminal): void {
  withCommonFlags(policy.command("list").description("List the rules, the strongest first")).action(
    (flags: CommonFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        await tenon.ready();
        const own = tenon.policy.rules();
        const known = new Set(own.map(({ id }) => id));
        const ofSessions = (await tenon.sessionRules()).filter(({ id }) => !known.has(id));
        const rules = [...own, ...ofSessions];
        if (flags.json === true) {
          writeJson(terminal, rules);
          return;
        }
        const colors = colorsFor(terminal.stdout, terminal.env);
        const rows = rules.map(({ id, source, rule, sessionId }) => [
          colors.bold(toVisibleLine(id)),
          colors.dim(toVisibleLine(sessionId === undefined ? source : `${source} ${sessionId}`)),
          toVisibleLine(ruleText(rule)),
        ]);
        terminal.stdout.write(`${table([["ID", "FROM", "RULE"], ...rows])}\n`);
      }),
  );
}

interface RuleFlags extends CommonFlags {
  readonly tool?: string;
  readonly agent?: string;
  readonly user?: string;
  readonly client?: string;
  readonly sessionId?: string;
  readonly path?: string;
  readonly command?: string;
  readonly host?: string;
  readonly reason?: string;
}

function addRemember(policy: Command, terminal: Terminal, decision: "allow" | "deny"): void {
  withCommonFlags(
    policy
      .command(decision)
      .description(`Remember a rule that ${decision === "allow" ? "allows" : "denies"} calls`),
  )
    .option("--tool <glob>", "tools that it is about")
    .option("--agent <glob>", "agents that it is about")
    .option("--user <glob>", "users that it is about")
    .option("--client <glob>", "MCP clients that it is about, by the name that they give themselves")
    .option("--session-id <glob>", "sessions that it is about")
    .option("--path <glob>", "paths that it is about")
    .option("--command <words>", 'first words of a command, such as "npm run test"')
    .option("--host <glob>", "hosts that it is about")
    .option("--reason <text>", "told with the decision")
    .action((flags: RuleFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        const rule = toRule(decision, flags);
        const id = await tenon.remember(rule);
        if (flags.json === true) writeJson(terminal, { id, rule });
        else terminal.stdout.write(`Remembered as ${toVisibleLine(id)}: ${toVisibleLine(ruleText(rule))}\n`);
      }),
    );
}

function toRule(decision: "allow" | "deny", flags: RuleFlags): PolicyRule {
  const { tool, agent, user, client, sessionId: session, path, command, host, reason } = flags;
  const about = Object.entries({ tool, agent, user, client, session, path, command, host }).filter(
    ([, value]) => value !== undefined,
  );
  if (about.length === 0) {
    throw new UsageError(
      `Say what to ${decision}: at least one of --tool, --agent, --user, --client, --session-id, --path, --command, --host.`,
    );
  }
  return { decision, ...Object.fromEntries(about), ...(reason !== undefined && { reason }) };
}

function addRevoke(policy: Command, terminal: Terminal): void {
  withCommonFlags(policy.command("revoke").description("Forget a remembered rule, or one of a session"))
    .argument("<id>", "as `tenon policy list` shows it")
    .action((id: string, flags: CommonFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        if (!(await tenon.revoke(id)))
          throw new UsageError(`There is no remembered rule "${id}". See tenon policy list.`);
        if (flags.json === true) writeJson(terminal, { revoked: id });
        else terminal.stdout.write(`Forgot ${id}.\n`);
      }),
    );
}

function addExplain(policy: Command, terminal: Terminal): void {
  withCommonFlags(
    policy.command("explain").description("Say what would be decided about a call; nothing runs"),
  )
    .argument("[name]", "tool; left out with --json: JSONL of {tool, arguments} on standard input")
    .argument("[arguments...]", "one JSON object, or key=value pairs")
    .option("--agent <name>", "as which agent")
    .action((name: string | undefined, words: string[], flags: CommonFlags) =>
      withTenon(terminal, flags, async (open) => {
        if (name === undefined) {
          if (flags.json !== true)
            throw new UsageError("Name a tool, or pass --json and calls as JSONL on standard input.");
          await explainLines(open);
          return;
        }
        const schema = open.tenon.registry.describe(name)?.inputSchema;
        const explained = await open.session.explain({ name, arguments: readArguments(words, schema) });
        if (flags.json === true) writeJson(terminal, explained);
        else terminal.stdout.write(`${describeVerdict(explained)}\n`);
      }),
    );
}

/** The verdict, and below it what was decided about each command of a shell line. */
function describeVerdict({ decision, reason, rule, source, commands = [] }: Explained): string {
  const each = commands.map(({ command, ...verdict }) => {
    const shown = command === "" ? "(the line as a whole)" : toVisibleLine(command);
    const why = verdict.reason === "" ? "" : `: ${toVisibleLine(verdict.reason)}`;
    return `  ${verdict.decision.padEnd(6)} ${shown}${why} (rule ${toVisibleLine(verdict.rule)})`;
  });
  return [
    `${decision}: ${toVisibleText(reason)} (rule ${toVisibleLine(rule)}, ${toVisibleLine(source)})`,
    ...each,
  ].join("\n");
}

/** One answer a line, in the order of the lines; a bad line gets an answer too. */
async function explainLines({ session, terminal }: OpenTenon): Promise<void> {
  for await (const line of createInterface({ input: terminal.stdin, crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    if (!parsed.ok) {
      writeJson(terminal, {
        decision: "deny",
        rule: "spine:REQUEST_INVALID",
        source: "spine",
        reason: `The line is no JSON: ${parsed.message}`,
      });
      continue;
    }
    writeJson(terminal, await session.explain(toRequest(parsed.value)));
  }
}

function toRequest(value: unknown): ToolRequest {
  const {
    tool,
    name,
    arguments: args,
  } = (value ?? {}) as { tool?: string; name?: string; arguments?: unknown };
  return { name: tool ?? name ?? "", arguments: args };
}
