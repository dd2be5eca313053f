import type { ToolContext } from "../../contract/context.js";
import type { PresetHosts } from "../../contract/ports/processes.js";
import { hostsOf, presetsOf, type NetworkArgument } from "./network-argument.js";

interface NetworkCall {
  readonly network: NetworkArgument;
  readonly cwd?: string | undefined;
}

/** What commands may reach: the hosts that they name, and those of the presets that they name. */
export interface NetworkAccess {
  /** Find the hosts of the presets; `undefined` if there are none, or they are known. */
  prepare(call: NetworkCall, ctx: ToolContext): Promise<void> | undefined;
  hosts(call: NetworkCall): readonly string[];
  /** Variables for the tools of the presets. */
  variables(call: NetworkCall): Readonly<Record<string, string>>;
  /** Full sentences about presets without hosts. */
  notes(call: NetworkCall): readonly string[];
}

/** Create the memory of what presets mean; it lasts as long as the input of a call. */
export function createNetworkAccess(): NetworkAccess {
  const found = new WeakMap<NetworkCall, PresetHosts>();
  return {
    prepare(call, { processes, shell }) {
      const names = presetsOf(call.network);
      if (names.length === 0 || found.has(call)) return undefined;
      // `cd app && npm install` uses the settings in `app`.
      const entered = shell?.commands?.flatMap(({ cwds }) => cwds ?? []);
      const finding = processes.presetHosts(names, call.cwd ?? shell?.cwd, entered);
      return finding.then((hosts) => void found.set(call, hosts));
    },
    hosts: (call) => [...new Set([...hostsOf(call.network), ...(found.get(call)?.hosts ?? [])])],
    variables: (call) => found.get(call)?.variables ?? {},
    notes: (call) =>
      (found.get(call)?.unknown ?? []).map(
        (name) =>
          `No host of ${name} was found in its configuration. The hosts that the command is refused are listed; add them to the argument network.`,
      ),
  };
}
