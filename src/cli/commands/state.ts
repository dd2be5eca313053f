import type { Command } from "commander";
import { createReadStream } from "node:fs";
import { homedir } from "node:os";
import { once } from "node:events";
import { resolve } from "node:path";
import { openOptions } from "../../runtime/options.js";
import type { State } from "../../store/open-state.js";
import {
  UsageError,
  withCommonFlags,
  type AddCommand,
  type CommonFlags,
  type Terminal,
} from "../command-line.js";
import { loadFor } from "../open-tenon.js";
import { writeJson } from "../output.js";
import { addPurge } from "../state-purge.js";
import { unpacked, writeBackup } from "../state-file.js";
import { toVisibleText } from "../../text/visible-text.js";

/** `tenon state`: what outlives a process, out of its place and back again. */
export const addState: AddCommand = (program, terminal) => {
  const state = program
    .command("state")
    .description("Back up, restore, export and purge what Tenon remembers");
  addBackup(state, terminal);
  addRestore(state, terminal);
  addExport(state, terminal);
  addPurge(state, terminal, withState);
};

function addBackup(state: Command, terminal: Terminal): void {
  withCommonFlags(state.command("backup").description("Write all of this workspace's state to one file"))
    .argument("<file>", "new file")
    .action((name: string, flags: CommonFlags) =>
      withState(terminal, flags, async (open) => {
        const file = resolve(terminal.cwd, name);
        const done = await writeBackup(file, (write) => open.export(write, { contents: true }));
        if (flags.json === true) return writeJson(terminal, { file, ...done });
        terminal.stdout.write(`Wrote ${done.rows} rows and ${done.contents} contents to ${file}.\n`);
        if (done.missing > 0)
          terminal.stderr.write(`tenon: ${done.missing} contents of old changes were dropped meanwhile.\n`);
      }),
    );
}

interface RestoreFlags extends CommonFlags {
  readonly force?: boolean;
}

function addRestore(state: Command, terminal: Terminal): void {
  withCommonFlags(
    state
      .command("restore")
      .description("Put a backup in the place of this workspace's state, which is kept"),
  )
    .argument("<file>", "what `tenon state backup` or `export` wrote")
    .option("--force", "also where another process has the state open: what it writes then is lost")
    .action(async (name: string, flags: RestoreFlags) => {
      const { restoreState } = await import("../../store/archive/restore-state.js");
      const { stateDir, workspace, database } = await placesFor(terminal, flags);
      if (database === ":memory:") throw new UsageError("A state in memory cannot be restored.");
      const file = resolve(terminal.cwd, name);
      const done = await restoreState({
        stateDir,
        workspace,
        database,
        read: () => unpacked(createReadStream(file)),
        force: flags.force === true,
      });
      if (flags.json === true) return writeJson(terminal, done);
      terminal.stdout.write(`Restored ${done.rows} rows and ${done.contents} contents.\n`);
      if (done.kept !== undefined) terminal.stdout.write(`The former state is kept as ${done.kept}.\n`);
    });
}

function addExport(state: Command, terminal: Terminal): void {
  withCommonFlags(state.command("export").description("Write all of this workspace's state as JSON lines"))
    .option("--contents", "with the contents that an undo needs")
    .action((flags: CommonFlags & { readonly contents?: boolean }) =>
      withState(terminal, flags, async (open) => {
        const write = async (text: string): Promise<void> => {
          if (!terminal.stdout.write(text)) await once(terminal.stdout, "drain");
        };
        await open.export(write, { contents: flags.contents === true });
      }),
    );
}

/** Where this workspace's state is, by the flags, the environment and the files. */
async function placesFor(terminal: Terminal, flags: CommonFlags) {
  const loaded = await loadFor(terminal, flags);
  const { config, workspace, stateDir } = openOptions({ loaded, env: terminal.env, home: homedir() });
  return { workspace, stateDir, database: config.database };
}

async function withState(
  terminal: Terminal,
  flags: CommonFlags,
  run: (state: State) => Promise<void>,
): Promise<void> {
  const { openState } = await import("../../store/open-state.js");
  const onWarning = (message: string): void =>
    void terminal.stderr.write(`tenon: ${toVisibleText(message)}\n`);
  const state = await openState({ ...(await placesFor(terminal, flags)), onWarning });
  try {
    await run(state);
  } finally {
    await state.close();
  }
}
