import type { Command } from "commander";
import { createReadStream } from "node:fs";
import { homedir } from "node:os";
import { once } from "node:events";
import { resolve } from "node:path";
import { openOptions } from "../../runtime/options.js";
import type { State } from "../../store/open-state.js";
import { UsageError, type AddCommand, type CommonFlags, type Terminal, addCommand } from "../command-line.js";
import { toFileProblem } from "../../contract/file-problem.js";
import { loadFor, untilInterrupted } from "../open-tenon.js";
import { createSpinner, whileWorking } from "../spinner.js";
import { writeJson, warn } from "../output.js";
import { addPurge } from "../state-purge.js";
import { unpacked, writeBackup } from "../state-file.js";
import { plural } from "../../text/plural.js";

/** `tenon state`: back up, restore, export and purge the state of a workspace. */
export const addState: AddCommand = (program, terminal) => {
  const state = program
    .command("state")
    .description("Back up, restore, export and purge the state of a workspace");
  addBackup(state, terminal);
  addRestore(state, terminal);
  addExport(state, terminal);
  addPurge(state, terminal, withState);
};

function addBackup(state: Command, terminal: Terminal): void {
  addCommand(state, "backup", "Write the whole state of this workspace to one file")
    .argument("<file>", "file to create")
    .action((name: string, flags: CommonFlags) =>
      withState(terminal, flags, async (open) => {
        const file = resolve(terminal.cwd, name);
        const writing = writeBackup(file, (write) => open.export(write, { contents: true }));
        const done = await whileWorking(createSpinner(terminal, flags), "Writing the backup,", writing);
        if (flags.json === true) return writeJson(terminal, { file, ...done });
        terminal.stdout.write(`Wrote ${countsOf(done)} to ${file}.\n`);
        if (done.missing > 0)
          terminal.stderr.write(
            `tenon: Removed in the meantime: ${plural(done.missing, "content")} of old changes.\n`,
          );
      }),
    );
}

interface RestoreFlags extends CommonFlags {
  readonly force?: boolean;
}

function addRestore(state: Command, terminal: Terminal): void {
  addCommand(state, "restore", "Replace the state of this workspace with a backup; the old state is kept")
    .argument("<file>", "file written by `tenon state backup` or `export`")
    .option("--force", "restore even if another process has the state open; its later writes are lost")
    .action(async (name: string, flags: RestoreFlags) => {
      const { restoreState } = await import("../../store/archive/restore-state.js");
      const { stateDir, workspace, database } = await locateState(terminal, flags);
      if (database === ":memory:") throw new UsageError("The state is in memory and cannot be restored.");
      const file = resolve(terminal.cwd, name);
      const restoring = restoreState({
        stateDir,
        workspace,
        database,
        read: () => unpacked(readBackup(file)),
        force: flags.force === true,
      });
      const done = await whileWorking(createSpinner(terminal, flags), "Restoring the backup,", restoring);
      if (flags.json === true) return writeJson(terminal, done);
      terminal.stdout.write(`Restored ${countsOf(done)}.\n`);
      if (done.kept !== undefined) terminal.stdout.write(`The previous state was kept as ${done.kept}.\n`);
    });
}

function countsOf({ rows, contents }: { readonly rows: number; readonly contents: number }): string {
  return `${plural(rows, "row")} and ${plural(contents, "content")}`;
}

/** The bytes of a backup; the error names the file. */
async function* readBackup(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${toFileProblem(error)}.`);
  }
}

function addExport(state: Command, terminal: Terminal): void {
  addCommand(state, "export", "Write the whole state of this workspace as JSON lines")
    .option("--contents", "include the contents that undo needs")
    .action((flags: CommonFlags & { readonly contents?: boolean }) =>
      withState(terminal, flags, async (open) => {
        const write = async (text: string): Promise<void> => {
          if (!terminal.stdout.write(text)) await once(terminal.stdout, "drain");
        };
        await open.export(write, { contents: flags.contents === true });
      }),
    );
}

/** Where the state of this workspace is, by flags, environment and configuration. */
async function locateState(terminal: Terminal, flags: CommonFlags) {
  const loaded = await loadFor(terminal, flags);
  const { config, workspace, stateDir } = openOptions({ loaded, env: terminal.env, home: homedir() });
  return { workspace, stateDir, database: config.database };
}

/** Open the state of this workspace without a Tenon. */
export async function withState(
  terminal: Terminal,
  flags: CommonFlags,
  run: (state: State) => Promise<void>,
): Promise<void> {
  const { openState } = await import("../../store/open-state.js");
  const onWarning = (message: string): void => warn(terminal, message);
  const state = await openState({ ...(await locateState(terminal, flags)), onWarning });
  try {
    await untilInterrupted(terminal.interrupted, run(state));
  } finally {
    await state.close();
  }
}
