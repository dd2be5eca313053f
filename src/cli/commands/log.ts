import type { Command } from "commander";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { AuditOutcome, AuditQuery, AuditRecord } from "../../contract/ports/audit.js";
import {
  exitCodes,
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { alertLines, describeRecord, logTable } from "../log-table.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { writeJson } from "../output.js";
import { parseTime } from "../parse-time.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon log`: what was called, by whom, and the proof that nobody changed the record. */
export const addLog: AddCommand = (program, terminal) => {
  const log = program.command("log").description("See what was called, and prove that the record is whole");
  withQueryFlags(withCommonFlags(log), "50")
    .option("-f, --follow", "go on with new calls as they end")
    .action((flags: LogFlags) =>
      withTenon(terminal, flags, async (open) => {
        await list(open, flags);
        if (flags.follow === true) await follow(open, flags);
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
    .option("--since <time>", 'calls from then on: "2h", "3d" or a date')
    .option("--until <time>", "calls up to then")
    .option("--tool <glob>", "only these tools")
    .option("--agent <name>", "only this agent")
    .option("--task <id>", "only this task")
    .option("--session-id <id>", "only this session")
    .option("--outcome <word>", "success, failure, denied or interrupted")
    .option("--text <text>", "in the tool's name, the arguments or the error")
    .option("--limit <n>", "most calls to show", limit);
}

const outcomes: readonly AuditOutcome[] = ["success", "failure", "denied", "interrupted"];

function toQuery(flags: LogFlags): AuditQuery {
  const now = Date.now();
  const { since, until, limit } = flags;
  const outcome = outcomes.find((word) => word === flags.outcome);
  if (flags.outcome !== undefined && outcome === undefined)
    throw new UsageError(`--outcome takes one of ${outcomes.join(", ")}, not "${flags.outcome}".`);
  const most = limit === undefined ? undefined : Number(limit);
  if (most !== undefined && !(Number.isInteger(most) && most >= 1 && most <= 100_000))
    throw new UsageError(`--limit takes a whole number from 1 to 100000, not "${limit}".`);
  return {
    since: since === undefined ? undefined : parseTime(since, now, "--since"),
    until: until === undefined ? undefined : parseTime(until, now, "--until"),
    tool: flags.tool,
    agent: flags.agent,
    taskId: flags.task,
    sessionId: flags.sessionId,
    text: flags.text,
    outcome,
    limit: most,
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
    terminal.stdout.write(flags.follow === true ? "" : "No call that fits is on record.\n");
    return;
  }
  terminal.stdout.write(`${logTable(terminal, oldestFirst)}\n`);
  const { limit: _, ...meant } = query;
  terminal.stderr.write(alertLines(terminal, (await tenon.audit.pastAlerts?.(meant)) ?? []));
}

const lookMs = 300;

async function follow({ tenon, terminal }: OpenTenon, flags: LogFlags): Promise<void> {
  const query = { ...toQuery(flags), limit: 10_000 };
  const known = new Set((await tenon.audit.search(query)).map(({ seq }) => seq));
  while (!terminal.interrupted.aborted) {
    await pause(lookMs, undefined, { signal: terminal.interrupted }).catch(() => {});
    const news = (await tenon.audit.search({ ...query, since: query.since ?? Date.now() - 3_600_000 }))
      .filter(({ seq }) => !known.has(seq))
      .toReversed();
    for (const { seq } of news) known.add(seq);
    if (flags.json === true) for (const record of news) writeJson(terminal, record);
    else if (news.length > 0) terminal.stdout.write(`${logTable(terminal, news, false)}\n`);
  }
}

function addShow(log: Command, terminal: Terminal): void {
  withCommonFlags(log.command("show").description("Show one call with its whole result"))
    .argument("<id>", "the call's id, or its number in the log")
    .action((id: string, _: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      return withTenon(terminal, flags, async ({ tenon }) => {
        const record: AuditRecord | undefined = await tenon.audit.get(id);
        if (record === undefined) throw new UsageError(`No call "${id}" is on record. See tenon log.`);
        if (flags.json === true) writeJson(terminal, record);
        else terminal.stdout.write(`${describeRecord(terminal, record)}\n`);
      });
    });
}

function addVerify(log: Command, terminal: Terminal): void {
  withCommonFlags(log.command("verify").description("Check that nothing was changed, left out or cut off"))
    .option("--head <head>", "a head that was noted earlier, as `tenon log head` printed it")
    .action((_: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { head?: string }>();
      return withTenon(terminal, flags, async ({ tenon }) => {
        const verdict = await tenon.audit.verify(flags.head);
        if (!verdict.ok) terminal.exitCode = exitCodes.failure;
        if (flags.json === true) return writeJson(terminal, verdict);
        if (!verdict.ok) {
          terminal.stderr.write(`Record ${verdict.seq} is wrong: ${toVisibleText(verdict.problem)}.\n`);
          return;
        }
        const { records, head, notes = [] } = verdict;
        terminal.stdout.write(`${records} records, each in its place. Head ${head.seq}:${head.hash}\n`);
        for (const note of notes) terminal.stderr.write(`${toVisibleText(note)}\n`);
      });
    });
}

function addHead(log: Command, terminal: Terminal): void {
  withCommonFlags(
    log.command("head").description("Print what stands for the whole log now, to be noted elsewhere"),
  ).action((_: unknown, command: Command) => {
    const flags = command.optsWithGlobals<CommonFlags>();
    return withTenon(terminal, flags, async ({ tenon }) => {
      const head = await tenon.audit.head();
      if (flags.json === true) writeJson(terminal, head);
      else terminal.stdout.write(`${head.seq}:${head.hash}\n`);
    });
  });
}

function addExport(log: Command, terminal: Terminal): void {
  withQueryFlags(
    withCommonFlags(log.command("export").description("Write records as JSON lines, the oldest first")),
  ).action((_: unknown, command: Command) => {
    const flags = command.optsWithGlobals<LogFlags>();
    // The limit of `tenon log` itself has a default; an export has none.
    const limit = command.getOptionValue("limit") as string | undefined;
    const { limit: _default, ...rest } = flags;
    return withTenon(terminal, flags, async ({ tenon }) => {
      const query = toQuery(limit === undefined ? rest : { ...rest, limit });
      for await (const line of tenon.audit.export(query)) {
        if (terminal.interrupted.aborted) return;
        if (!terminal.stdout.write(`${line}\n`)) await once(terminal.stdout, "drain");
      }
    });
  });
}
