import type { Command } from "commander";
import { resolve } from "node:path";
import { isConfirmed, requireTerminal } from "./confirm.js";
import { purgeState, type StatePurgeRequest } from "../store/purge-state.js";
import type { State } from "../store/open-state.js";
import { UsageError, type CommonFlags, type Terminal, addCommand } from "./command-line.js";
import { withTenon } from "./open-tenon.js";
import { writeResult } from "./output.js";
import { parseTime } from "./parse-time.js";
import { readNamedFile } from "./read-named-file.js";

interface PurgeFlags extends CommonFlags {
  readonly match?: string[];
  readonly secretFile?: string;
  readonly olderThan?: string;
  readonly sessionId?: string;
  readonly journal?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

type WithState = (
  terminal: Terminal,
  flags: CommonFlags,
  run: (state: State) => Promise<void>,
) => Promise<void>;

/** `tenon state purge`: remove what should never have been stored. */
export function addPurge(state: Command, terminal: Terminal, withState: WithState): void {
  addCommand(state, "purge", "Remove secrets and old contents from the log and the rest of the state")
    .option("--match <text...>", "remove this text everywhere")
    .option("--secret-file <file>", "like --match, one text per line; keeps it out of the shell history")
    .option("--older-than <time>", 'contents older than a time: "30d" or a date')
    .option("--session-id <id>", "contents of one session (same as --session here)")
    .option("--journal", "also contents that undo needs; those changes can no longer be undone")
    .option("--dry-run", "show what would be removed without removing it")
    .option("--yes", "do not ask for confirmation")
    .action(async (flags: PurgeFlags, command: Command) => {
      const named = command.getOptionValueSource("session") === "cli" ? flags.session : undefined;
      const request = {
        texts: textsOf(terminal, flags),
        before:
          flags.olderThan === undefined ? undefined : parseTime(flags.olderThan, Date.now(), "--older-than"),
        sessionId: flags.sessionId ?? named,
        journal: flags.journal,
      };
      if (request.texts.length === 0 && request.before === undefined && request.sessionId === undefined)
        throw new UsageError("Specify what to purge: --match, --secret-file, --older-than or --session-id.");
      const purge = (dryRun: boolean): Promise<Counts> =>
        purgeAll({ terminal, flags, withState }, { ...request, dryRun });
      if (flags.dryRun === true || flags.yes !== true) {
        const found = await purge(true);
        if (flags.dryRun === true) return showCounts(terminal, flags, "Would be purged", found);
        if (Object.values(found).every((count) => count === 0))
          return showCounts(terminal, flags, "Purged", found);
        terminal.stderr.write(`This will purge ${listed(found)} and cannot be undone.\n`);
        requireTerminal(terminal, {}, "remove this, or --dry-run to preview it");
        if (!(await isConfirmed(terminal, "Remove this?"))) return;
      }
      showCounts(terminal, flags, "Purged", await purge(false));
    });
}

type Counts = Readonly<Record<string, number>>;

interface PurgeDeps {
  readonly terminal: Terminal;
  readonly flags: PurgeFlags;
  readonly withState: WithState;
}

async function purgeAll(
  { terminal, flags, withState }: PurgeDeps,
  request: StatePurgeRequest,
): Promise<Counts> {
  let counts: Counts = {};
  await withTenon(terminal, { ...flags, session: "cli" }, async ({ tenon }) => {
    const { journal: _journal, ...ofLog } = request; // the journal is purged with the state
    counts = { ...(await tenon.audit.purge(ofLog)) };
  });
  await withState(terminal, flags, async (open) => {
    counts = { ...counts, ...(await purgeState(open, request)) };
  });
  return counts;
}

function showCounts(terminal: Terminal, flags: PurgeFlags, title: string, counts: Counts): void {
  writeResult({ terminal, flags }, counts, () => `${title}: ${listed(counts)}.`);
}

function listed(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

const minChars = 4;

/** Shorter texts would match ordinary words everywhere. */
function textsOf(terminal: Terminal, { match = [], secretFile }: PurgeFlags): string[] {
  const lines =
    secretFile === undefined
      ? []
      : readNamedFile("--secret-file", resolve(terminal.cwd, secretFile)).split(/\r?\n/);
  const texts = [...match, ...lines].filter((text) => text !== "");
  if (texts.some((text) => text.length < minChars))
    throw new UsageError(`A text to purge must have at least ${minChars} characters.`);
  return texts;
}
