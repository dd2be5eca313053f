import { basename } from "node:path";
import { messageOf } from "../../../contract/message-of.js";
import type { EgressRules } from "../../forwarder/dial.js";
import { findProgram, type ProgramSearch } from "../find-program.js";
import { openNamespace } from "./namespace.js";
import { createSessionNetwork, type SessionNetwork } from "./session-network.js";

/** The networks of all sessions. */
export interface SessionNetworks {
  /** The network of a session; `undefined` if it cannot have one, so that each command gets its own. */
  forSession(id: string): Promise<SessionNetwork | undefined>;
  endSession(id: string): Promise<void>;
  /** Why commands of a session do not share a network. */
  reason(): string | undefined;
  close(): Promise<void>;
}

export interface SessionNetworkOptions {
  readonly bwrap: string;
  readonly isRoot: boolean;
  readonly search: ProgramSearch;
  readonly egress: EgressRules;
}

/** A machine that was busy can create a network the next time; one that fails again and again cannot. */
const maxFailures = 3;

type Opening = Promise<SessionNetwork | undefined>;

/** Prepare the networks; the first one is created now, because a command is about to need it. */
export function openSessionNetworks(options: SessionNetworkOptions): SessionNetworks {
  const { bwrap, isRoot, egress } = options;
  const found = findProgram("nsenter", options.search);
  // The one of BusyBox takes other arguments.
  const nsenter = found !== undefined && basename(found) === "nsenter" ? found : undefined;
  let reason = nsenter === undefined ? "nsenter not found; install util-linux" : undefined;
  const sessions = new Map<string, Opening>();
  let failures = 0;
  const open = async (): Opening => {
    if (nsenter === undefined || failures >= maxFailures) return undefined;
    try {
      const namespace = await openNamespace({ bwrap, nsenter, isRoot });
      [failures, reason] = [0, undefined];
      return createSessionNetwork(namespace, egress);
    } catch (error) {
      failures += 1;
      reason = messageOf(error);
      return undefined;
    }
  };
  let first: Opening | undefined = open();
  return {
    forSession(id) {
      const known = sessions.get(id) ?? first ?? open();
      if (known === first) first = undefined;
      sessions.set(id, known);
      // The next command of the session tries again.
      void known.then((network) => {
        if (network === undefined && sessions.get(id) === known) sessions.delete(id);
      });
      return known;
    },
    async endSession(id) {
      const ending = sessions.get(id);
      sessions.delete(id);
      (await ending)?.close();
    },
    reason: () => reason,
    async close() {
      const all = [...sessions.values(), first];
      sessions.clear();
      first = undefined;
      for (const each of all) (await each)?.close();
    },
  };
}
