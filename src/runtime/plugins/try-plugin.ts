import type { PluginOptions } from "../../contract/plugin.js";
import type { FoundPlugin } from "../../plugin/find-plugin.js";
import { openPluginConnection, type ProcessDeps } from "../../plugin/open-plugin-connection.js";
import { tryProgram, type ProgramObserver, type SandboxTrial } from "../world/observe-program.js";

/** Load a plugin in the sandbox without using it, and end it. */
export function tryPlugin(
  found: FoundPlugin,
  options: PluginOptions,
  { deps, observer }: { readonly deps: ProcessDeps; readonly observer: ProgramObserver },
): Promise<SandboxTrial> {
  return tryProgram(observer, async (heard) => {
    const log: ProcessDeps["log"] = (_level, message) => heard(message);
    const connection = await openPluginConnection(found, options, {
      deps: { ...deps, confine: observer.confine, log },
      onLost: () => {},
    });
    await connection.close("it was only tried");
    return connection.manifest.tools.map(({ name }) => name);
  });
}
