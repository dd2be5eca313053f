import { homedir } from "node:os";
import { resolve } from "node:path";
import { userConfigDir } from "../../config/folders.js";
import { loadConfig, type LoadedConfig } from "../../config/load-config.js";
import { messageOf } from "../../contract/message-of.js";
import type { Tenon } from "../../runtime/tenon.js";
import { localActor } from "../audit-faults.js";
import { UsageError, addCommand, type AddCommand, type CommonFlags, type Terminal } from "../command-line.js";
import { examine } from "../examine.js";
import { loadFor, startTenon } from "../open-tenon.js";
import { warn, writeJson } from "../output.js";
import { tuneV8 } from "../tune-v8.js";

interface WorkerFlags extends CommonFlags {
  readonly workspaces?: string;
}

/** `tenon worker`: run the calls of a fleet in the workspaces of a folder. */
export const addWorker: AddCommand = (program, terminal) => {
  addCommand(program, "worker", "Run calls of a fleet in the workspaces of a folder")
    .requiredOption("--workspaces <dir>", "folder that contains the workspaces")
    .option("--fleet <address>", "address of NATS, such as nats://host:4222")
    .option("--tenant <name>", "tenant to run calls for")
    .option("--label <label...>", "labels of this worker, such as gpu, or volume=NAME for a shared volume")
    .addHelpText(
      "after",
      "\nSIGTERM or Ctrl-C drains the worker: it takes no more calls, finishes those that run, and hands its workspaces back.",
    )
    .action((flags: WorkerFlags) => work(terminal, flags));
};

async function work(terminal: Terminal, flags: WorkerFlags): Promise<void> {
  if (flags.workspaces === undefined) throw new UsageError("--workspaces is missing.");
  const loaded = await loadFor(terminal, flags);
  if (flags.json !== true) for (const warning of loaded.warnings) warn(terminal, warning);
  // Loaded here to keep other commands fast.
  const { openWorker } = await import("../../fleet/index.js");
  /** With which configuration each workspace was opened. */
  const loads = new WeakMap<Tenon, LoadedConfig>();
  const opened = await openWorker({
    config: loaded.config,
    workspaces: resolve(terminal.cwd, flags.workspaces),
    onFault: (cause) => warn(terminal, messageOf(cause)),
    openTenon: (stateDir) => async (folder, options) => {
      const own = await loadForWorkspace(terminal, flags, { folder, stateDir });
      const tenon = startTenon(terminal, own, {
        workspace: folder,
        actor: localActor("console"),
        ...options,
      });
      loads.set(tenon, own);
      return tenon;
    },
    machineOf(tenon) {
      const own = loads.get(tenon) ?? loaded;
      return {
        configFolder: userConfigDir(terminal.env, homedir()),
        doctor: () => examine({ tenon, terminal, loaded: own }),
        configuration: () => ({ sources: own.sources, warnings: own.warnings }),
      };
    },
  });
  const { worker } = opened;
  tuneV8();
  const { tenant, labels } = loaded.config.fleet;
  if (flags.json === true) writeJson(terminal, { worker: worker.id, tenant, labels });
  else terminal.stdout.write(`Worker ${worker.id} of tenant ${tenant} is ready.\n`);
  const { interrupted } = terminal;
  if (!interrupted.aborted)
    await new Promise<void>((done) => interrupted.addEventListener("abort", () => done(), { once: true }));
  if (flags.json !== true) terminal.stderr.write("Draining: running calls are finished first.\n");
  await opened.close();
}

/** The configuration of a workspace: its own file can only make it stricter, since nobody here has trusted it. */
function loadForWorkspace(
  terminal: Terminal,
  flags: WorkerFlags,
  { folder, stateDir }: { readonly folder: string; readonly stateDir: string },
) {
  return loadConfig({
    workspace: folder,
    ...(flags.config !== undefined && { configFile: flags.config }),
    env: terminal.env,
    home: homedir(),
    cwd: terminal.cwd,
    flags: { workspaceDir: folder, stateDir, ...(flags.mode !== undefined && { mode: flags.mode }) },
    trusted: () => false,
  });
}
