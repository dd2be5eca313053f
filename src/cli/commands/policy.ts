import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { Command } from "commander";
import type { Session } from "../../runtime/sessions/session.js";
import type { Explained } from "../../call/explain.js";
import { createInterface } from "node:readline";
import type { ToolRequest } from "../../contract/call.js";
import type { PolicyRule } from "../../policy/policy-rule.js";
import { ruleText } from "../../policy/rule-text.js";
import { parseJson } from "../../schema/parse-json.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { colorsFor, table, writeJson, writeResult } from "../output.js";
import { collect } from "../shared-options.js";
import { addSimulate } from "../policy-simulate.js";
import { inputSchemaOf, readArguments } from "../read-arguments.js";
import { toVisibleLine, toVisibleText } from "../../text/visible-text.js";

/** `tenon policy`: the rules and what they decide. */
export const addPolicy: AddCommand = (program, terminal) => {
  const policy = program.command("policy").description("Show, change and test the rules");
  addList(policy, terminal);
  addRemember(policy, terminal, "allow");
  addRemember(policy, terminal, "deny");
  addRevoke(policy, terminal);
  addExplain(policy, terminal);
  addSimulate(policy, terminal);
};

function addList(policy: Command, terminal: Terminal): void {
  addCommand(policy, "list", "List the rules, in order of precedence").action((flags: CommonFlags) =>
    withTenon(terminal, flags, async (open) => {
      const { tenon } = open;
      await tenon.ready();
      const own = tenon.policy.rules();
      const known = new Set(own.map(({ id }) => id));
      const ofSessions = (await tenon.sessionRules()).filter(({ id }) => !known.has(id));
      const rules = [...own, ...ofSessions];
      const colors = colorsFor(terminal.stdout, terminal.env);
      const rows = rules.map(({ id, source, rule, sessionId }) => [
        colors.bold(toVisibleLine(id)),
        colors.dim(toVisibleLine(sessionId === undefined ? source : `${source} ${sessionId}`)),
        toVisibleLine(ruleText(rule)),
      ]);
      writeResult(open, rules, () =>
        table([["ID", "FROM", "RULE"], ...rows], { width: terminal.stdout.columns }),
      );
    }),
  );
}

type Words = readonly string[];

interface RuleFlags extends Omit<CommonFlags, "session"> {
  readonly tool?: Words;
  readonly agent?: Words;
  readonly user?: Words;
  readonly client?: Words;
  readonly sessionId?: Words;
  readonly path?: Words;
  readonly command?: Words;
  readonly host?: Words;
  readonly exact?: true;
  readonly given?: string;
  readonly reason?: string;
}

function addRemember(policy: Command, terminal: Terminal, decision: "allow" | "deny"): void {
  const does = decision === "allow" ? "allows" : "denies";
  addCommand(policy, decision, `Save a rule that ${does} calls`)
    .option("--tool <glob>", "tools to match; this and the next options may be repeated", collect)
    .option("--agent <glob>", "agents to match", collect)
    .option("--user <glob>", "users to match", collect)
    .option("--client <glob>", "MCP clients to match, by the name they report", collect)
    .option("--session-id <glob>", "sessions to match", collect)
    .option("--path <glob>", "paths to match", collect)
    .option("--command <words>", 'first words of a command, such as "npm run test"', collect)
    .option("--host <glob>", "hosts to match", collect)
    .option("--exact", "allow a command only as it is written, with nothing after it")
    .option(
      "--given <hash>",
      "with --exact: what the command gets besides its words, as `tenon call` prints it",
    )
    .option("--reason <text>", "reason to show with the decision")
    .action((flags: RuleFlags) =>
      withTenon(terminal, flags, async (open) => {
        const rule = toRule(decision, flags);
        const id = await open.tenon.remember(rule);
        writeResult(
          open,
          { id, rule },
          () => `Saved as ${toVisibleLine(id)}: ${toVisibleLine(ruleText(rule))}`,
        );
      }),
    );
}

function toRule(decision: "allow" | "deny", flags: RuleFlags): PolicyRule {
  const { tool, agent, user, client, sessionId: session, path, command, host } = flags;
  const { exact, given, reason } = flags;
  const conditions = Object.entries({ tool, agent, user, client, session, path, command, host }).flatMap(
    ([name, words]) => (words === undefined ? [] : [[name, words.length === 1 ? words[0] : words]]),
  );
  if (conditions.length === 0) {
    throw new UsageError(
      `Specify what to ${decision}: at least one of --tool, --agent, --user, --client, --session-id, --path, --command, --host.`,
    );
  }
  return {
    decision,
    ...Object.fromEntries(conditions),
    ...(exact !== undefined && { exact }),
    ...(given !== undefined && { given }),
    ...(reason !== undefined && { reason }),
  };
}

function addRevoke(policy: Command, terminal: Terminal): void {
  addCommand(policy, "revoke", "Remove a saved rule, or a rule of a session")
    .argument("<id>", "rule id, as shown by `tenon policy list`")
    .action((id: string, flags: CommonFlags) =>
      withTenon(terminal, flags, async (open) => {
        if (!(await open.tenon.revoke(id)))
          throw new ToolResourceNotFoundError(`Saved rule "${id}" not found.`, {
            hint: "Run: tenon policy list",
          });
        writeResult(open, { revoked: id }, () => `Revoked ${id}.`);
      }),
    );
}

function addExplain(policy: Command, terminal: Terminal): void {
  addCommand(policy, "explain", "Show what would be decided about a call; runs nothing")
    .argument(
      "[name]",
      "tool name; omit it with --json to read JSONL of {tool, arguments} from standard input",
    )
    .argument("[arguments...]", "one JSON object, or key=value pairs")
    .option("--agent <name>", "agent that makes the call")
    .option("--as <user>", "user on whose behalf it is made, with the user's role")
    .option("--endpoint <name>", "MCP endpoint that it comes through")
    .action((name: string | undefined, words: string[], flags: ExplainFlags) =>
      withTenon(terminal, flags, async (open) => {
        const session = await sessionOf(open, flags);
        if (name === undefined) {
          if (flags.json !== true)
            throw new UsageError("Specify a tool, or pass --json and calls as JSONL on standard input.");
          await explainLines(session, terminal);
          return;
        }
        const schema = await inputSchemaOf(open.tenon, name);
        const explained = await session.explain({ name, arguments: readArguments(words, schema) });
        writeResult(open, explained, () => describeVerdict(explained));
      }),
    );
}

interface ExplainFlags extends CommonFlags {
  readonly agent?: string;
  readonly as?: string;
  readonly endpoint?: string;
}

/** A session of the caller that is asked about. */
async function sessionOf({ tenon, session }: OpenTenon, flags: ExplainFlags): Promise<Session> {
  const { agent, as, endpoint } = flags;
  if (agent === undefined && as === undefined && endpoint === undefined) return session;
  const user = as === undefined ? undefined : await tenon.access.principal(as);
  if (as !== undefined && user === undefined)
    throw new ToolResourceNotFoundError(`User "${as}" not found.`, {
      hint: "List the users with: tenon users list",
    });
  return tenon.createSession({
    ...(agent !== undefined && { agent }),
    ...(user !== undefined && { userId: user.name, principal: user.name, role: user.role }),
    ...(endpoint !== undefined && { endpoint }),
  });
}

/** The decision, followed by the decision about each command of a shell line. */
function describeVerdict({ decision, reason, rule, source, commands = [] }: Explained): string {
  const each = commands.map(({ command, ...verdict }) => {
    const shown = command === "" ? "(the whole line)" : toVisibleLine(command);
    const why = verdict.reason === "" ? "" : `: ${toVisibleLine(verdict.reason)}`;
    return `  ${verdict.decision.padEnd(6)} ${shown}${why} (rule ${toVisibleLine(verdict.rule)})`;
  });
  return [
    `${decision}: ${toVisibleText(reason)} (rule ${toVisibleLine(rule)}, ${toVisibleLine(source)})`,
    ...each,
  ].join("\n");
}

/** One answer per line, in order; an invalid line gets an answer too. */
async function explainLines(session: Session, terminal: Terminal): Promise<void> {
  for await (const line of createInterface({ input: terminal.stdin, crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    if (!parsed.ok) {
      writeJson(terminal, {
        decision: "deny",
        rule: "spine:REQUEST_INVALID",
        source: "spine",
        reason: `Invalid JSON: ${parsed.message}`,
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
