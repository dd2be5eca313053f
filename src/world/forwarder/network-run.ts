import { setMaxListeners } from "node:events";
import type { NetworkUse } from "../../contract/ports/processes.js";
import type { ProcessTree } from "../processes/process-table.js";
import { createConnectionLog, type ConnectionLog } from "./connection-log.js";
import { compileGrants, type HostGrants } from "./host-grants.js";

/** A command that runs in the network of a session, with what it may reach. */
export interface NetworkRun {
  readonly grants: HostGrants;
  readonly log: ConnectionLog;
  /** Throws if a rule denies the host. */
  readonly judge: (host: string) => void;
  /** The processes of the command, once it was started; `undefined` if it never is. */
  readonly tree: Promise<ProcessTree | undefined>;
  started(tree: ProcessTree | undefined): void;
  /** Aborted when the command has ended. */
  readonly signal: AbortSignal;
  end(): void;
}

export interface NetworkRunOptions {
  /** Patterns of hosts; empty for a command without network. */
  readonly hosts: readonly string[];
  /** Report what it tries to reach even if it is granted nothing. */
  readonly isReported?: boolean | undefined;
  readonly judge?: ((host: string) => void) | undefined;
  /** Called with each new place that it reaches or is refused. */
  readonly onUse?: ((use: NetworkUse) => void) | undefined;
}

/** The reason of a refusal that another grant would lift. */
export const notGranted = "the command was not granted this host";

/** Whether a command needs the forwarder; without it, every name fails and nobody learns of it. */
export function usesForwarder({ hosts, isReported }: NetworkRunOptions): boolean {
  return hosts.length > 0 || isReported === true;
}

/** Describe a command that is about to run. */
export function createNetworkRun({ hosts, judge = () => {}, onUse }: NetworkRunOptions): NetworkRun {
  let started: NetworkRun["started"] = () => {};
  const tree = new Promise<ProcessTree | undefined>((resolve) => (started = resolve));
  const ended = new AbortController();
  setMaxListeners(0, ended.signal); // one for each connection
  return {
    grants: compileGrants(hosts),
    log: createConnectionLog(onUse),
    judge,
    tree,
    started: (root) => started(root),
    signal: ended.signal,
    end() {
      started(undefined);
      ended.abort();
    },
  };
}
