import type { NetworkUse } from "../../../contract/ports/processes.js";
import type { NetworkRunOptions } from "../../forwarder/network-run.js";
import type { ProcessTree } from "../../processes/process-table.js";
import type { ActiveSandbox } from "../active-sandbox.js";
import type { SandboxCommand } from "../sandbox-types.js";
import { proxyVariables, retryVariables } from "./proxy-variables.js";

/** The network of one command. */
export interface CommandNetwork {
  /** Whether it is that of its session; otherwise it has an empty one of its own. */
  readonly isShared: boolean;
  /** The arguments that run a program in it. */
  enter(argv: readonly string[]): readonly string[];
  /** Variables that the command can override. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Variables that lead programs to the proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** Full sentences about what it cannot use. */
  readonly problems: readonly string[];
  started(tree: ProcessTree): void;
  use(): readonly NetworkUse[];
  end(): void;
}

/** Prepare the network of a command: that of its session, with the hosts that it was granted. */
export async function openNetwork(
  { networks, activity }: ActiveSandbox,
  { network = none, sessionId, contained, argv, origin }: SandboxCommand,
): Promise<CommandNetwork> {
  if (contained === true) return ownNetwork(none, undefined);
  const session = sessionId === undefined ? undefined : await networks.forSession(sessionId);
  if (session === undefined) return ownNetwork(network, networks.reason());
  const opened = await session.begin(network);
  const { run, proxyPort, problems } = opened;
  const user = { sessionId: sessionId ?? "", callId: origin?.callId ?? "", name: nameOf(argv) };
  const over = activity.begin(user, () => run.log.list());
  return {
    isShared: true,
    enter: (argv) => session.namespace.enter(argv),
    defaults: retryVariables(proxyPort !== undefined),
    variables: proxyPort === undefined ? {} : proxyVariables(proxyPort),
    problems,
    started: (tree) => run.started(tree),
    use: () => run.log.list(),
    end() {
      over();
      opened.end();
    },
  };
}

/** The line of a shell, or the program with its arguments. */
function nameOf(argv: readonly string[]): string {
  const isShell = argv.length >= 3 && /(?:^|\/)\w*sh$/.test(argv[0] ?? "");
  return (isShell ? (argv.at(-1) ?? "") : argv.join(" ")).slice(0, maxNameLength);
}

const maxNameLength = 300;

const none: NetworkRunOptions = { hosts: [] };

function ownNetwork({ hosts }: NetworkRunOptions, reason: string | undefined): CommandNetwork {
  const why = reason === undefined ? "it belongs to no session" : reason;
  return {
    isShared: false,
    enter: (argv) => argv,
    defaults: {},
    variables: {},
    problems: hosts.length === 0 ? [] : [`The command ran without network: ${why}.`],
    started() {},
    use: () => [],
    end() {},
  };
}
