import { randomUUID } from "node:crypto";
import { shellQuote } from "../../command/shell-quote.js";
import type { ToolContext } from "../../contract/context.js";
import { toRelative } from "../shell/change-folder.js";

/** What lasts of a session's shell. */
export interface ShellState {
  /** Relative to the workspace; absent for the workspace itself. */
  readonly cwd?: string | undefined;
  /** Variables that commands have set. */
  readonly variables: Readonly<Record<string, string>>;
  /** All variables before the first command. */
  readonly base: ReadonlyMap<string, string>;
}

/** A command that reports the folder and the variables that it leaves behind. */
export interface WatchedCommand {
  /** The line to run in place of the command. */
  readonly command: string;
  /** Passes on output up to the report. */
  pass(output: string, emit: (text: string) => void): void;
  /** Takes the report off the output, and remembers it. */
  end(stdout: string, ctx: Pick<ToolContext, "files" | "sessionId">): { stdout: string; note?: string };
}

/** The shells of all sessions. */
export interface ShellStates {
  get(sessionId: string): ShellState | undefined;
  forget(sessionId: string): void;
  watch(sessionId: string, command: string): WatchedCommand;
}

/** Sessions that are remembered. */
const maxSessions = 1000;

/** Create the memory of shells. A process cannot hand its state on, so each command reports it when it ends. */
export function createShellStates(): ShellStates {
  const states = new Map<string, ShellState>();
  const set = (sessionId: string, state: ShellState): void => {
    states.delete(sessionId);
    states.set(sessionId, state);
    const [oldest] = states.keys();
    if (states.size > maxSessions && oldest !== undefined) states.delete(oldest);
  };
  return {
    get: (sessionId) => states.get(sessionId),
    forget: (sessionId) => void states.delete(sessionId),
    watch(sessionId, command) {
      const mark = `tenon-state-${randomUUID()}`;
      const known = states.get(sessionId);
      const splitter = createSplitter(mark);
      return {
        command: toWatched(command, mark, known === undefined),
        pass: splitter.pass,
        end(stdout, { files }) {
          const at = stdout.lastIndexOf(mark);
          if (at === -1) return { stdout };
          const report = readReport(stdout.slice(at + mark.length));
          const shown = stdout.slice(0, at).replace(/\n$/, "");
          if (report === undefined) return { stdout: shown };
          const base = known?.base ?? report.before;
          const verdict = files.check(report.folder, "read");
          const cwd = verdict.allowed ? toRelative(report.folder, files.root) : known?.cwd;
          set(sessionId, { cwd, base, variables: changedVariables(base, report.after) });
          if (verdict.allowed) return { stdout: shown };
          return {
            stdout: shown,
            note: `The next command does not start in ${report.folder}: ${verdict.reason}`,
          };
        },
      };
    },
  };
}

const dump = "{ printf '%s\\0' \"$PWD\"; env -0; } | base64 | tr -d '\\n'";

/** `set -a` exports all variables that are set from then on, so that `env` lists them. */
function toWatched(command: string, mark: string, isFirst: boolean): string {
  const before = isFirst ? `__tenon_before="$(${dump})"; ` : "__tenon_before=; ";
  const report = `__tenon_code=$?; trap - EXIT; printf "\\n%s %s " "${mark}" "$__tenon_before"; ${dump}; exit $__tenon_code`;
  return `${before}trap ${shellQuote(report)} EXIT; set -a\n${command}\n`;
}

interface Report {
  readonly folder: string;
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

function readReport(text: string): Report | undefined {
  const [, before = "", after = ""] = /^ ([\w+/=]*) ([\w+/=]+)/.exec(text) ?? [];
  if (after === "") return undefined;
  const { folder, variables } = readDump(after);
  return { folder, before: readDump(before).variables, after: variables };
}

function readDump(encoded: string): { folder: string; variables: ReadonlyMap<string, string> } {
  const [folder = "", ...entries] = Buffer.from(encoded, "base64").toString("utf8").split("\0");
  const pairs = entries.flatMap((entry): [string, string][] => {
    const at = entry.indexOf("=");
    return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
  });
  return { folder, variables: new Map(pairs) };
}

const ownNames = /^(PWD|OLDPWD|SHLVL|_|BASH.*|SHELLOPTS|__tenon.*|TENON_.*)$/;
const validName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const maxVariableChars = 100_000;

function changedVariables(
  base: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Record<string, string> {
  const changed = [...after].filter(
    ([name, value]) =>
      base.get(name) !== value &&
      validName.test(name) &&
      !ownNames.test(name) &&
      value.length <= maxVariableChars,
  );
  return Object.fromEntries(changed);
}

/** Passes on a stream until a mark, which may come in pieces. */
function createSplitter(mark: string): Pick<WatchedCommand, "pass"> {
  let held = "";
  let isOver = false;
  return {
    pass(output, emit) {
      if (isOver) return;
      const text = held + output;
      const at = text.indexOf(mark);
      if (at !== -1) {
        isOver = true;
        held = "";
        if (at > 0) emit(text.slice(0, at).replace(/\n$/, ""));
        return;
      }
      const keep = Math.min(text.length, mark.length + 1);
      held = text.slice(text.length - keep);
      if (text.length > keep) emit(text.slice(0, text.length - keep));
    },
  };
}
