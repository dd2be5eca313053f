import type { Command } from "commander";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { purgeState } from "../store/purge-state.js";
import type { State } from "../store/open-state.js";
import { UsageError, withCommonFlags, type CommonFlags, type Terminal } from "./command-line.js";
import { withTenon } from "./open-tenon.js";
import { writeJson } from "./output.js";
import { parseTime } from "./parse-time.js";

interface PurgeFlags extends CommonFlags {
  readonly match?: string[];
  readonly secretFile?: string;
  readonly olderThan?: string;
  readonly sessionId?: string;
  readonly journal?: boolean;
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
      let log = { records: 0, contents: 0 };
      await withTenon(terminal, { ...flags, session: "cli" }, async ({ tenon }) => {
        log = await tenon.audit.purge(wish);
      });
      await withState(terminal, flags, async (open) => {
        const rest = await purgeState(open, wish);
        if (flags.json === true) return writeJson(terminal, { ...log, ...rest });
        const counts = Object.entries({ ...log, ...rest }).map(([name, count]) => `${count} ${name}`);
        terminal.stdout.write(`Purged: ${counts.join(", ")}.\n`);
      });
    });
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
