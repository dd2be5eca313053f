import { ToolError } from "../../contract/errors.js";
import { HelperRun } from "./helper-run.js";
import type { HelperRunOptions } from "./helper-run-types.js";
import { cannotStart, HelperLostError } from "./launch-errors.js";
import type { Launch, Launcher, OutputSink, Running } from "./launch.js";

/**
 * A launcher whose cost does not depend on the size of the host process: a small helper process forks instead.
 * The helper is started with the first command, and again if it died.
 */
export function createHelperLauncher(
  options: HelperRunOptions,
): Launcher & { readonly pid: number | undefined } {
  let current: HelperRun | undefined;
  const previous = new Set<HelperRun>();
  const liveHelper = (): HelperRun => {
    if (current?.alive === true) return current;
    if (current !== undefined) previous.add(current);
    // The helper also stops all commands when the host dies, so one must exist while commands of a dead helper run.
    current = new HelperRun(options, () => void liveHelper());
    return current;
  };
  const attempt = async (launch: Launch, sink: OutputSink): Promise<Running> => {
    try {
      return await liveHelper().launch(launch, sink);
    } catch (error) {
      throw error instanceof ToolError ? error : cannotStart(options.bash, error);
    }
  };
  return {
    launch: (launch, sink) =>
      attempt(launch, sink).catch((error: unknown) => {
        if (!(error instanceof HelperLostError)) throw error;
        return attempt(launch, sink); // nothing was started, so another helper can try
      }),
    get pid() {
      return current?.pid;
    },
    async close() {
      await Promise.all([...previous, ...(current === undefined ? [] : [current])].map((run) => run.close()));
      previous.clear();
      current = undefined;
    },
  };
}
