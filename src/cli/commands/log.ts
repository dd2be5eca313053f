import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { Command } from "commander";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { AuditOutcome, AuditQuery, AuditRecord } from "../../contract/ports/audit.js";
import {
  exitCodes,
  UsageError,
  type AddCommand,
  type CommonFlags,
  type Terminal,
  addCommand,
} from "../command-line.js";
import { withSharedOptions } from "../shared-options.js";
import { createSpinner, whileWorking } from "../spinner.js";
import { alertLines, describeRecord, logTable } from "../log-table.js";
import { exportFleet, followFleet, headFleet, listFleet, showFleet, verifyFleet } from "../fleet-log.js";
import { aloneOrInFleet, withFleetOptions } from "../open-fleet.js";
import type { OpenTenon } from "../open-tenon.js";
import { writeJson, writeResult } from "../output.js";
import { headPattern } from "../../record/audit/verify.js";
import { parseTime } from "../parse-time.js";
import { plural } from "../../text/plural.js";
import { toVisibleText } from "../../text/visible-text.js";
import { wholeNumber, oneOf } from "../whole-number.js";

/** `tenon log`: what was called and by whom, and proof that the log is unchanged. */
export const addLog: AddCommand = (program, terminal) => {
  const log = program
    .command("log")
    .description("Show past calls, and verify that the log is complete and unchanged");
  withFleetOptions(withQueryFlags(withSharedOptions(log), "50"))
    .option("-f, --follow", "keep printing new calls as they end")
    .action((flags: LogFlags) =>
      aloneOrInFleet(terminal, flags, {
        async alone(open) {
          await list(open, flags);
          if (flags.follow === true) await follow(open, flags);
        },
        async inFleet(open) {
          await listFleet(open, toQuery(flags));
          if (flags.follow === true) await followFleet(open, toQuery(flags));
        },
      }),
    );
  addShow(log, terminal);
  addVerify(log, terminal);
  addHead(log, terminal);
  addExport(log, terminal);
};

interface LogFlags extends CommonFlags {
  readonly since?: string;
  readonly until?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly task?: string;
  readonly sessionId?: string;
  readonly outcome?: string;
  readonly text?: string;
  readonly limit?: string;
  readonly follow?: boolean;
}

function withQueryFlags(command: Command, limit?: string): Command {
  return command
    .option("--since <time>", 'calls since a time: "2h", "3d" or a date')
    .option("--until <time>", "calls up to a time")
    .option("--tool <glob>", "only tools that match")
    .option("--agent <name>", 'only this agent; "default" is the one that nobody named')
    .option("--task <id>", "only this task")
    .option("--session-id <id>", "only this session")
    .option("--outcome <word>", "only this outcome: success, failure, denied or interrupted")
    .option("--text <text>", "only calls with this text in the tool name, the arguments or the error")
    .option("--limit <n>", "maximum number of calls", limit);
}

const outcomes: readonly AuditOutcome[] = ["success", "failure", "denied", "interrupted"];

function toQuery(flags: LogFlags): AuditQuery {
  const now = Date.now();
  const { since, until, limit } = flags;
  return {
    since: since === undefined ? undefined : parseTime(since, now, "--since"),
    until: until === undefined ? undefined : parseTime(until, now, "--until"),
    tool: flags.tool,
    agent: flags.agent,
    taskId: flags.task,
    sessionId: flags.sessionId,
    text: flags.text,
    outcome: flags.outcome === undefined ? undefined : oneOf("--outcome", flags.outcome, outcomes),
    limit: wholeNumber("--limit", limit, 100_000),
  };
}

async function list({ tenon, terminal }: OpenTenon, flags: LogFlags): Promise<void> {
  const query = toQuery(flags);
  const found = await tenon.audit.search(query);
  const oldestFirst = found.toReversed();
  if (flags.json === true) {
    for (const record of oldestFirst) writeJson(terminal, record);
    return;
  }
  if (found.length === 0) {
    terminal.stdout.write(flags.follow === true ? "" : "No matching calls in the log.\n");
    return;
  }
  terminal.stdout.write(`${logTable(terminal, oldestFirst)}\n`);
  const { limit: _, ...unlimited } = query;
  terminal.stderr.write(alertLines(terminal, (await tenon.audit.pastAlerts?.(unlimited)) ?? []));
}

const pollMs = 300;

async function follow({ tenon, terminal }: OpenTenon, flags: LogFlags): Promise<void> {
  const query = { ...toQuery(flags), limit: 10_000 };
  const known = new Set((await tenon.audit.search(query)).map(({ seq }) => seq));
  while (!terminal.interrupted.aborted) {
    await pause(pollMs, undefined, { signal: terminal.interrupted }).catch(() => {});
    const fresh = (await tenon.audit.search({ ...query, since: query.since ?? Date.now() - 3_600_000 }))
      .filter(({ seq }) => !known.has(seq))
      .toReversed();
    for (const { seq } of fresh) known.add(seq);
    if (flags.json === true) for (const record of fresh) writeJson(terminal, record);
    else if (fresh.length > 0) terminal.stdout.write(`${logTable(terminal, fresh, false)}\n`);
  }
}

function addShow(log: Command, terminal: Terminal): void {
  withFleetOptions(addCommand(log, "show", "Show one call with its full result"))
    .argument("<id>", "call id, or its number in the log")
    .action((id: string, _: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      return aloneOrInFleet(terminal, flags, {
        async alone(open) {
          const record: AuditRecord | undefined = await open.tenon.audit.get(id);
          if (record === undefined)
            throw new ToolResourceNotFoundError(`Call "${id}" not found in the log.`, {
              hint: "Run: tenon log",
            });
          writeResult(open, record, () => describeRecord(terminal, record));
        },
        inFleet: (open) => showFleet(open, id),
      });
    });
}

function addVerify(log: Command, terminal: Terminal): void {
  withFleetOptions(addCommand(log, "verify", "Check that no record was changed, removed or cut off"))
    .option("--head <head>", "head that `tenon log head` printed earlier")
    .action((_: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { head?: string }>();
      if (flags.head !== undefined && !headPattern.test(flags.head.trim()))
        throw new UsageError(
          `Invalid --head ${JSON.stringify(flags.head)} (expected NUMBER:HASH, as printed by: tenon log head).`,
        );
      const alone = async ({ tenon }: OpenTenon): Promise<void> => {
        const spinner = createSpinner(terminal, flags);
        const verdict = await whileWorking(spinner, "Checking the log,", tenon.audit.verify(flags.head));
        if (!verdict.ok) terminal.exitCode = exitCodes.failure;
        if (flags.json === true) return writeJson(terminal, verdict);
        if (!verdict.ok) {
          terminal.stderr.write(`Record ${verdict.seq} is invalid: ${toVisibleText(verdict.problem)}.\n`);
          return;
        }
        const { records, head, notes = [] } = verdict;
        terminal.stdout.write(`${plural(records, "record")} verified. Head ${head.seq}:${head.hash}\n`);
        for (const note of notes) terminal.stderr.write(`${toVisibleText(note)}\n`);
      };
      return aloneOrInFleet(terminal, flags, { alone, inFleet: (open) => verifyFleet(open, flags.head) });
    });
}

function addHead(log: Command, terminal: Terminal): void {
  withFleetOptions(
    addCommand(log, "head", "Print the current head of the log, to store elsewhere for `log verify --head`"),
  ).action((_: unknown, command: Command) =>
    aloneOrInFleet(terminal, command.optsWithGlobals<CommonFlags>(), {
      async alone(open) {
        const head = await open.tenon.audit.head();
        writeResult(open, head, () => `${head.seq}:${head.hash}`);
      },
      inFleet: headFleet,
    }),
  );
}

function addExport(log: Command, terminal: Terminal): void {
  const added = addCommand(log, "export", "Write records as JSON lines, oldest first");
  withFleetOptions(withQueryFlags(added)).action((_: unknown, command: Command) => {
    const flags = command.optsWithGlobals<LogFlags>();
    // `tenon log` has a default limit; an export has none.
    const limit = command.getOptionValue("limit") as string | undefined;
    const { limit: _default, ...rest } = flags;
    const query = toQuery(limit === undefined ? rest : { ...rest, limit });
    const alone = async ({ tenon }: OpenTenon): Promise<void> => {
      for await (const line of tenon.audit.export(query)) {
        if (terminal.interrupted.aborted) return;
        if (!terminal.stdout.write(`${line}\n`)) await once(terminal.stdout, "drain");
      }
    };
    return aloneOrInFleet(terminal, flags, { alone, inFleet: (open) => exportFleet(open, query) });
  });
}
