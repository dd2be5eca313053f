import { createHash } from "node:crypto";
import { analyseCommand } from "../command/analyse-command.js";
import type { CommandAnalysis, SimpleCommand } from "../command/command-analysis.js";
import type { SessionEnv } from "../contract/ports/env.js";
import type { Resource } from "../contract/resources.js";
import type { ShellLine, ShellSession } from "../contract/tool.js";
import type { PolicyCall, PolicyCommand } from "../policy/create-policy.js";
import { withRealPlaces } from "./real-places.js";
import type { ResolvedCall } from "./resolve.js";
import type { ValidatedCall } from "./validate.js";

/** The shell line that a call would run, and what is known of it. */
export interface AnalysedLine {
  readonly line: ShellLine;
  readonly analysis: CommandAnalysis;
  readonly workspace: string;
  /** The files that its commands read and change, as other tools name them and where they really are. */
  readonly touched: Readonly<Record<"reads" | "writes" | "changes", readonly NamedPath[]>>;
}

type NamedPath = Extract<Resource, { path: string }>;

/** Analyse the line that a call with this input would run; `undefined` if it runs none. */
export function analyseLine(
  { entry, state }: Pick<ResolvedCall, "entry" | "state">,
  input: unknown,
): AnalysedLine | undefined {
  const line = entry.tool.shellLine?.(input, shellSession({ state }));
  if (line === undefined) return undefined;
  const { world } = state.parts;
  const { env: own } = state.session;
  const workspace = world.root?.() ?? world.canonicalPath(".");
  const analysis = analyseCommand(line.line, {
    workspace,
    cwd: line.cwd === undefined ? undefined : world.canonicalPath(line.cwd),
    dialect: line.dialect,
    stdin: line.stdin,
    home: own.entries().get("HOME"),
    env: [...(own.changed ?? []), ...Object.keys(line.env ?? {})],
  });
  const toPath = relativeTo(workspace);
  const touched = (paths: readonly string[]): NamedPath[] =>
    withRealPlaces(
      paths.map((path) => ({ path: toPath(path) })),
      { root: workspace, canonicalPath: world.canonicalPath },
    );
  const { reads, writes, changes } = analysis;
  return {
    line,
    analysis,
    workspace,
    touched: { reads: touched(reads), writes: touched(writes), changes: touched(changes) },
  };
}

/** Where the commands of the call's session start. */
export function shellSession({ state }: Pick<ResolvedCall, "state">): ShellSession {
  return { folder: state.session.folder?.path };
}

/** Return what the policy needs to know about the line: its commands, and the files that they read and change. */
export function shellParts(
  call: ValidatedCall,
  { line, analysis, workspace, touched }: AnalysedLine,
): Pick<PolicyCall, "commands" | "changes" | "reads" | "writes"> {
  const sandboxed = call.state.parts.world.sandbox().active;
  const variables = givenVariables(call.state.session.env, line.env ?? {});
  const given = (command: SimpleCommand): string | null | undefined =>
    givenTo(command, { workspace, variables });
  return {
    commands: toCommands(analysis, given).map((command) => ({ ...command, sandboxed })),
    changes: touched.changes.map(({ path }) => path),
    reads: [...call.reads, ...touched.reads],
    writes: [...call.writes, ...touched.writes],
  };
}

/** As other tools name files: relative to the workspace. */
function relativeTo(workspace: string): (path: string) => string {
  return (path) => (path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path);
}

/** Describes what a command gets besides its words; see {@link PolicyCommand.given}. */
function givenTo(
  { stdin, cwds }: SimpleCommand,
  { workspace, variables }: { readonly workspace: string; readonly variables: string | undefined },
): string | null | undefined {
  if (stdin === null || cwds === null) return null;
  const parts = [
    stdin === undefined ? undefined : `with the input sha256:${digestOf(stdin)}`,
    cwds.length === 1 && cwds[0] === workspace
      ? undefined
      : `in ${cwds.map(relativeTo(workspace)).join(" or ")}`,
    variables === undefined ? undefined : `with the variables sha256:${digestOf(variables)}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Variables that were set for the call or by the session: they can change what any command does. */
function givenVariables(own: SessionEnv, set: Readonly<Record<string, string>>): string | undefined {
  const all = new Map([...(own.changed ?? [])].map((name) => [name, own.entries().get(name) ?? ""] as const));
  for (const [name, value] of Object.entries(set)) all.set(name, value);
  if (all.size === 0) return undefined;
  return JSON.stringify([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function toCommands(
  { commands, unknown, denied }: CommandAnalysis,
  given: (command: SimpleCommand) => string | null | undefined,
): PolicyCommand[] {
  const list: PolicyCommand[] = commands.map((command) => ({
    words: command.words,
    known: command.known,
    readOnly: command.readOnly,
    why: command.why,
    given: given(command),
    denied: command.denied,
  }));
  // A fault of the line as a whole counts like one more unknown command.
  if (denied !== undefined && list.every((command) => command.denied === undefined))
    list.unshift({ words: [], known: false, readOnly: false, denied });
  if (unknown.length > 0) list.push({ words: [], known: false, readOnly: false, why: unknown.join("; ") });
  // A line without any command, such as a comment, does nothing.
  return list.length > 0 ? list : [{ words: [":"], known: true, readOnly: true }];
}

const maxShown = 50;

/** The commands of a line one by one, for the person who is asked. */
export function commandLines({ commands, unknown }: CommandAnalysis): readonly string[] {
  const lines = commands.slice(0, maxShown).map(commandLine);
  const more = commands.length > maxShown ? [`… ${commands.length - maxShown} more commands`] : [];
  return [...new Set([...lines, ...more, ...unknown.map((why) => `… not known: ${why}`)])];
}

function commandLine({ words, assignments, redirections, via, why, readOnly }: SimpleCommand): string {
  const set = assignments.map(({ name, value }) => `${name}=${quoteWord(value)}`);
  const led = redirections.map(({ op, target }) =>
    op.startsWith("<<") && op !== "<<<" ? `${op} (text in the arguments)` : `${op} ${quoteWord(target)}`,
  );
  const notes = [
    ...(via.length > 0 ? [`in ${via.join(", ")}`] : []),
    ...(readOnly ? ["only reads"] : []),
    ...(why === undefined ? [] : [why]),
  ];
  return [
    ...set,
    ...words.map(quoteWord),
    ...led,
    ...(notes.length > 0 ? [`  # ${notes.join("; ")}`] : []),
  ].join(" ");
}

/** Quoted as a shell would read it; what is not known stays as it was written. */
function quoteWord(word: string): string {
  return /^[\w./:=@%+,~*?${}[\]()-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
