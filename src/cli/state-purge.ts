import type { Command } from "commander";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { purgeState, type StatePurgeWish } from "../store/purge-state.js";
import type { State } from "../store/open-state.js";
import { UsageError, withCommonFlags, type CommonFlags, type Terminal } from "./command-line.js";
import { withTenon } from "./open-tenon.js";
import { writeJson } from "./output.js";
import { parseTime } from "./parse-time.js";
import { createTerminalBackend } from "./terminal-backend.js";

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

/** `tenon state purge`: take out what should never have got in. */
export function addPurge(state: Command, terminal: Terminal, withState: WithState): void {
  withCommonFlags(
    state
      .command("purge")
      .description("Take secrets and old contents out of the log and the rest of the state"),
  )
    .option("--match <text...>", "a text that may stand nowhere")
    .option("--secret-file <file>", "the same, one text a line, so that no shell history has it")
    .option("--older-than <time>", 'contents from before then: "30d" or a date')
    .option("--session-id <id>", "contents of one session; --session does the same here")
    .option("--journal", "also contents that an undo needs; those changes cannot be taken back then")
    .option("--dry-run", "show what would be removed, and remove nothing")
    .option("--yes", "remove without asking")
    .action(async (flags: PurgeFlags, command: Command) => {
      const named = command.getOptionValueSource("session") === "cli" ? flags.session : undefined;
      const wish = {
        texts: textsOf(terminal, flags),
        before:
          flags.olderThan === undefined ? undefined : parseTime(flags.olderThan, Date.now(), "--older-than"),
        sessionId: flags.sessionId ?? named,
        journal: flags.journal,
      };
      if (wish.texts.length === 0 && wish.before === undefined && wish.sessionId === undefined)
        throw new UsageError("Say what to purge: --match, --secret-file, --older-than or --session-id.");
      const purge = (dryRun: boolean): Promise<Counts> =>
        purgeAll({ terminal, flags, withState }, { ...wish, dryRun });
      if (flags.dryRun === true || flags.yes !== true) {
        const found = await purge(true);
        if (flags.dryRun === true) return show(terminal, flags, "To be purged", found);
        if (Object.values(found).every((count) => count === 0)) return show(terminal, flags, "Purged", found);
        terminal.stderr.write(`To be purged: ${listed(found)}. This cannot be undone.\n`);
        if (!(await isWanted(terminal))) return;
      }
      show(terminal, flags, "Purged", await purge(false));
    });
}

type Counts = Readonly<Record<string, number>>;

interface PurgeParts {
  readonly terminal: Terminal;
  readonly flags: PurgeFlags;
  readonly withState: WithState;
}

async function purgeAll({ terminal, flags, withState }: PurgeParts, wish: StatePurgeWish): Promise<Counts> {
  let counts: Counts = {};
  await withTenon(terminal, { ...flags, session: "cli" }, async ({ tenon }) => {
    counts = { ...(await tenon.audit.purge(wish)) };
  });
  await withState(terminal, flags, async (open) => {
    counts = { ...counts, ...(await purgeState(open, wish)) };
  });
  return counts;
}

function show(terminal: Terminal, flags: PurgeFlags, title: string, counts: Counts): void {
  if (flags.json === true) return writeJson(terminal, counts);
  terminal.stdout.write(`${title}: ${listed(counts)}.\n`);
}

function listed(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** A script says `--yes`; where nobody can be asked, nothing is removed. */
async function isWanted(terminal: Terminal): Promise<boolean> {
  const backend = createTerminalBackend(terminal);
  if (!backend.available())
    throw new UsageError("Nobody can be asked here. Add --yes to remove this, or --dry-run to only look.");
  const answer = await backend.ask({ kind: "confirm", message: "Remove it?" }, terminal.interrupted);
  return answer.approved === true;
}

const leastChars = 4;

/** Shorter texts would blacken ordinary words everywhere. */
function textsOf(terminal: Terminal, { match = [], secretFile }: PurgeFlags): string[] {
  const lines =
    secretFile === undefined ? [] : readFileSync(resolve(terminal.cwd, secretFile), "utf8").split(/\r?\n/);
  const texts = [...match, ...lines].filter((text) => text !== "");
  if (texts.some((text) => text.length < leastChars))
    throw new UsageError(`A text to purge has at least ${leastChars} characters.`);
  return texts;
}
