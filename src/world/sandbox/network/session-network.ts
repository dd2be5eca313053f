import type { EgressRules } from "../../forwarder/dial.js";
import { createForwarder, type Forwarder } from "../../forwarder/forwarder.js";
import {
  createNetworkRun,
  usesForwarder,
  type NetworkRun,
  type NetworkRunOptions,
} from "../../forwarder/network-run.js";
import type { NetworkNamespace } from "./namespace.js";

/** The network of one session. */
export interface SessionNetwork {
  readonly namespace: NetworkNamespace;
  /** A command is about to run in it. */
  begin(options: NetworkRunOptions): Promise<OpenNetwork>;
  close(): void;
}

/** The network as one command has it. */
export interface OpenNetwork {
  readonly run: NetworkRun;
  /** Of the proxy inside; `undefined` for a command without network. */
  readonly proxyPort: number | undefined;
  /** Full sentences about what it cannot use. */
  readonly problems: readonly string[];
  /** Must be called when the command has ended. */
  end(): void;
}

/** Create the network of a session in its namespace; the forwarder starts with the first granted host. */
export function createSessionNetwork(namespace: NetworkNamespace, egress: EgressRules): SessionNetwork {
  const runs = new Set<NetworkRun>();
  let forwarder: Forwarder | undefined;
  return {
    namespace,
    async begin(options) {
      const run = createNetworkRun(options);
      runs.add(run);
      const end = (): void => {
        runs.delete(run);
        run.end();
        forwarder?.release(run);
      };
      if (!usesForwarder(options)) return { run, proxyPort: undefined, problems: [], end };
      try {
        forwarder ??= createForwarder({ namespace, egress, runs });
        return { run, end, ...(await forwarder.open(run)) };
      } catch (error) {
        end();
        throw error;
      }
    },
    close() {
      for (const run of runs) run.end();
      forwarder?.close();
      namespace.close();
    },
  };
}
