import type { Command } from "commander";
import { resolve } from "node:path";
import { canConfirm, isConfirmed } from "./confirm.js";
import type { SandboxAccess } from "../contract/ports/upstream.js";
import type { ReachedThings, SandboxTrial } from "../runtime/world/observe-program.js";
import { toVisibleLine, toVisibleText } from "../text/visible-text.js";
import { InterruptedError, type CommonFlags, type Terminal } from "./command-line.js";
import type { OpenTenon } from "./open-tenon.js";
import { warn } from "./output.js";
import { createSpinner, whileWorking } from "./spinner.js";
import { plural } from "../text/plural.js";

export interface SandboxFlags extends CommonFlags {
  /** `false` with --no-sandbox. */
  readonly sandbox?: boolean;
  readonly network?: readonly string[];
  readonly readable?: readonly string[];
  readonly writable?: readonly string[];
  readonly yes?: boolean;
}

/** The flags of the commands that put a server or a plugin into the sandbox. */
export function addAccessFlags(command: Command): Command {
  return command
    .option("--network <host...>", "hosts that it may reach in the sandbox")
    .option("--readable <path...>", "files and folders that it may read in the sandbox")
    .option("--writable <path...>", "files and folders that it may read and write in the sandbox")
    .option("-y, --yes", "allow what it tries to use, without being asked; keys are never included");
}

/** What was found out and consented to. */
export interface SettledAccess {
  readonly access: SandboxAccess;
  readonly trial: SandboxTrial;
  /** What it tried to use and was not allowed. */
  readonly missing: SandboxAccess | undefined;
}

interface Tried {
  readonly name: string;
  /** The command that grants more later. */
  readonly command: string;
  readonly run: (access: SandboxAccess) => Promise<SandboxTrial>;
  /** It is started once more afterwards, and what fails then is reported: the reason need not be told twice. */
  readonly isStartedAfter?: boolean;
}

/** Each round can only show what a program does until it is first refused something that it cannot do without. */
const maxRounds = 8;

/** Why there is no sandbox on this machine; `undefined` if there is one. */
export async function whyNoSandbox({ tenon }: OpenTenon): Promise<string | undefined> {
  const fact = (await tenon.sandboxFacts()).find(({ name }) => name === "sandbox");
  return fact === undefined || fact.status === "ok" ? undefined : fact.message;
}

/** Try a program in the sandbox until it has what it needs, or nobody allows it more. */
export async function settleAccess(
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: SandboxFlags },
  { name, command, run, isStartedAfter = false }: Tried,
): Promise<SettledAccess> {
  let access = fromFlags(terminal, flags);
  const isQuiet = flags.json === true;
  for (let round = 1; ; round++) {
    if (!isQuiet) terminal.stderr.write(`Trying ${toVisibleLine(name)} in the sandbox …\n`);
    const trial = await whileWorking(createSpinner(terminal, flags), "It is running,", run(access));
    if (terminal.interrupted.aborted) throw new InterruptedError();
    const missing = round > maxRounds ? undefined : missingAccess(trial.reached);
    const isToldLater = missing === undefined && isStartedAfter;
    if (!isQuiet)
      terminal.stderr.write(describeTrial(name, isToldLater ? { ...trial, reason: undefined } : trial));
    if (missing === undefined) return { access, trial, missing };
    if (!(flags.yes === true || (await isAllowed(terminal, flags)))) {
      if (!isQuiet) warn(terminal, `It does not have this access. To allow it: ${command} --yes`);
      return { access, trial, missing };
    }
    access = joinAccess(access, missing);
  }
}

function fromFlags(terminal: Terminal, { network, readable, writable }: SandboxFlags): SandboxAccess {
  const absolute = (paths: readonly string[]): string[] => paths.map((path) => resolve(terminal.cwd, path));
  return {
    ...(network !== undefined && { network: [...network] }),
    ...(readable !== undefined && { readable: absolute(readable) }),
    ...(writable !== undefined && { writable: absolute(writable) }),
  };
}

/** What a grant would open of what it tried to use; `undefined` if nothing. */
function missingAccess({ hosts, readable, writable }: ReachedThings): SandboxAccess | undefined {
  const network = hosts.filter(({ isOffered }) => isOffered).map(placeOf);
  if (network.length + readable.length + writable.length === 0) return undefined;
  return {
    ...(network.length > 0 && { network: [...new Set(network)] }),
    ...(readable.length > 0 && { readable }),
    ...(writable.length > 0 && { writable }),
  };
}

/** All that either allows. */
export function joinAccess(one: SandboxAccess, other: SandboxAccess): SandboxAccess {
  const both = <T>(first: readonly T[] = [], second: readonly T[] = []): T[] => [
    ...new Set([...first, ...second]),
  ];
  const lists = {
    readable: both(one.readable, other.readable),
    writable: both(one.writable, other.writable),
  };
  const network =
    one.network === true || other.network === true
      ? true
      : both(one.network || undefined, other.network || undefined);
  return {
    ...((network === true || network.length > 0) && { network }),
    ...(lists.readable.length > 0 && {
      readable: lists.readable.filter((path) => !lists.writable.includes(path)),
    }),
    ...(lists.writable.length > 0 && { writable: lists.writable }),
  };
}

function placeOf({ host, port }: { readonly host: string; readonly port?: number | undefined }): string {
  return port === undefined ? host : `${host}:${port}`;
}

async function isAllowed(terminal: Terminal, flags: SandboxFlags): Promise<boolean> {
  return canConfirm(terminal, flags) && isConfirmed(terminal, "Allow it to use this?");
}

/** What came of a trial, for people. */
function describeTrial(name: string, { started, reason, tools, log, reached }: SandboxTrial): string {
  const { hosts, readable, writable, withheld, programs, isTraced } = reached;
  const refused = hosts.filter(({ verdict, isOffered }) => verdict !== "allowed" && !isOffered);
  const head = started
    ? `${name} started in the sandbox with ${plural(tools.length, "tool")}.`
    : `${name} did not start in the sandbox${reason === undefined ? "." : `: ${reason}`}`;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["It wants to reach:", hosts.filter(({ isOffered }) => isOffered).map(placeOf)],
    ["It wants to read:", readable],
    ["It wants to write:", writable],
    ["Always refused:", [...withheld, ...refused.map((each) => `${placeOf(each)} (${each.reason})`)]],
    ["It reached:", hosts.filter(({ verdict }) => verdict === "allowed").map(placeOf)],
    ["It started:", programs.length === 0 ? [] : [programs.join(", ")]],
    ["Its last output:", started ? [] : log.slice(-5)],
  ];
  const lines = rows.flatMap(([title, items]) =>
    items.length === 0 ? [] : [`  ${title}`, ...items.map((item) => `    ${item}`)],
  );
  const note = isTraced
    ? []
    : ["  Install strace to see every file that it tries to use; only what it names and prints is known."];
  return `${[head, ...lines, ...note].map((line) => toVisibleText(line)).join("\n")}\n`;
}
