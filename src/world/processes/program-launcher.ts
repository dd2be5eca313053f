import { createHelperLauncher } from "./helper-launcher.js";
import type { Launch, Launcher, OutputSink, Running } from "./launch.js";
import { findBash, type ShellSource } from "./shell.js";
import { sendSignal } from "./stop-tree.js";

export interface ProgramLauncherOptions {
  /** Where bash is looked for. */
  readonly shell: ShellSource;
  /** Where the private folder with the pipes is created. */
  readonly tempDir: string;
  readonly newTagValue: () => string;
  /** How long its helper is kept without a program. @default a minute */
  readonly idleMs?: number | undefined;
}

/**
 * Starts programs of Tenon's own, without a sandbox or a control group. They have a helper of their own: what ended
 * below the helper of commands counts as used by commands. It starts with the first program, and again when one is
 * needed after it was idle: that costs the host little more than starting the program itself would.
 */
export function createProgramLauncher(options: ProgramLauncherOptions): Launcher {
  const { idleMs = 60_000 } = options;
  let bash: Promise<string | undefined> | undefined;
  let helper: Launcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = 0;
  let closed = false;
  const closing = new Set<Promise<void>>();
  const closeHelper = (): void => {
    clearTimeout(timer);
    if (helper === undefined) return;
    const work = helper.close();
    helper = undefined;
    closing.add(work);
    work.then(
      () => closing.delete(work),
      () => {}, // `close` throws it
    );
  };
  const release = (): void => {
    running -= 1;
    if (running === 0) timer = setTimeout(closeHelper, idleMs).unref();
  };
  const start = async (launch: Launch, sink: OutputSink): Promise<Running> => {
    const path = await (bash ??= findBash(options.shell));
    if (path === undefined || closed) throw new Error("No helper can start programs here.");
    helper ??= openHelper(path, options);
    return helper.launch(launch, sink);
  };
  return {
    async launch(launch, sink) {
      clearTimeout(timer);
      running += 1;
      try {
        const started = await start(launch, sink);
        void started.exited.then(release);
        return started;
      } catch (error) {
        release();
        throw error;
      }
    },
    async close() {
      closed = true;
      closeHelper();
      await Promise.all(closing);
    },
  };
}

function openHelper(bash: string, { tempDir, newTagValue }: ProgramLauncherOptions): Launcher {
  return createHelperLauncher({
    bash,
    tempDir,
    tag: newTagValue(),
    openGroup: () => undefined,
    groupDirs: () => [],
    leftovers: () => [],
    adoptOrphans: () => false,
    onLate: ({ pid }) => sendSignal(-pid, "SIGKILL"),
  });
}
