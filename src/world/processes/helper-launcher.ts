import { ToolError } from "../../contract/errors.js";
import { HelperRun } from "./helper-run.js";
import type { HelperRunOptions } from "./helper-run-types.js";
import { cannotStart, HelperLostError } from "./launch-errors.js";
import type { Launch, Launcher, OutputSink, Running } from "./launch.js";

/**
 * A launcher whose cost does not depend on the size of the host process: a small helper forks in its place.
 * The helper is started with the first command, and again where it died.
 */
export function createHelperLauncher(
  options: HelperRunOptions,
): Launcher & { readonly pid: number | undefined } {
  let current: HelperRun | undefined;
  const former = new Set<HelperRun>();
  const ready = (): HelperRun => {
    if (current?.alive === true) return current;
    if (current !== undefined) former.add(current);
    // It also ends all when the host is gone: where commands of a dead one still run, the next one must be there.
    current = new HelperRun(options, () => void ready());
    return current;
  };
  const attempt = async (launch: Launch, sink: OutputSink): Promise<Running> => {
    try {
      return await ready().launch(launch, sink);
    } catch (error) {
      throw error instanceof ToolError ? error : cannotStart(options.bash, error);
    }
  };
  return {
    launch: (launch, sink) =>
      attempt(launch, sink).catch((error: unknown) => {
        if (!(error instanceof HelperLostError)) throw error;
        return attempt(launch, sink); // nothing was started: another helper may
      }),
    get pid() {
      return current?.pid;
    },
    async close() {
      await Promise.all([...former, ...(current === undefined ? [] : [current])].map((run) => run.close()));
      former.clear();
      current = undefined;
    },
  };
}
