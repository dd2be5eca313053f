import { connect, type Socket } from "node:net";
import { ToolError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";
import { guardLookup, type HttpLookup } from "../http/guard-lookup.js";
import type { HostRules } from "../http/host-rules.js";
import { judgeAddress, judgeTarget, type HttpTarget, type TargetRules } from "../http/judge-target.js";
import { notGranted, type NetworkRun } from "./network-run.js";

/** The part of the egress guard that applies to all commands. */
export interface EgressRules {
  readonly hosts: HostRules;
  readonly allowPrivate: boolean;
  readonly lookup?: HttpLookup | undefined;
}

/** A connection that was not made, with what to tell about it. */
export class DialError extends Error {
  readonly verdict: "refused" | "failed";
  readonly address: string | undefined;

  constructor(verdict: "refused" | "failed", message: string, address?: string) {
    super(message);
    this.name = "DialError";
    this.verdict = verdict;
    this.address = address;
  }
}

const connectMs = 10_000;

/** Connect to a host for a command, if it may: judged by its name, by every address, and by where it came out. */
export async function dial(target: HttpTarget, run: NetworkRun, egress: EgressRules): Promise<Socket> {
  const { host, port } = target;
  if (!run.grants.allows(host, port)) {
    throw new DialError("refused", notGranted);
  }
  const rules = rulesFor(run, egress);
  try {
    run.judge(host);
    judgeTarget(target, rules);
  } catch (error) {
    throw new DialError("refused", reasonOf(error));
  }
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup: guardLookup(target, rules, egress.lookup),
      autoSelectFamily: true,
      allowHalfOpen: true,
      noDelay: true,
      signal: run.signal,
    });
    const fail = (error: unknown): void => {
      socket.destroy();
      const verdict = error instanceof ToolError ? "refused" : "failed";
      reject(new DialError(verdict, reasonOf(error), socket.remoteAddress));
    };
    const late = setTimeout(() => fail(new Error("the host did not answer in time")), connectMs);
    socket.once("error", (error) => {
      clearTimeout(late);
      fail(error);
    });
    socket.once("connect", () => {
      clearTimeout(late);
      try {
        // Whatever the lookup said: this is where the connection has come out, before a byte is sent.
        judgeAddress(socket.remoteAddress ?? "", target, rules);
        socket.removeAllListeners("error");
        resolve(socket);
      } catch (error) {
        fail(error);
      }
    });
  });
}

/** What the command names as an address may be private, because that is what was consented to. */
function rulesFor({ grants }: NetworkRun, { hosts, allowPrivate }: EgressRules): TargetRules {
  return {
    allowPrivate,
    hosts: {
      matches: (host, port) => hosts.matches(host, port) || grants.literal.matches(host, port),
      names: (host, port) => hosts.names(host, port),
      namesPort: (host, port) => hosts.namesPort(host, port),
    },
  };
}

/** The reason of a refusal without the parts of the sentence that every refusal has. */
function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return messageOf(first)
    .replace(/^(?:Access denied: )?the request to \S+ is refused: /, "")
    .replace(/\.$/, "");
}
