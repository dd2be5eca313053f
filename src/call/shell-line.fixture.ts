import type { CommandPaths, CallScope } from "../contract/session.js";
import type { CommandAnalysis } from "../command/command-analysis.js";
import { tool } from "../../test/spine-fixture.js";

/** What a call knew of its own line while it ran. */
export interface SeenByRun {
  readonly paths: CommandPaths | undefined;
  readonly shell: CommandAnalysis | undefined;
  readonly changes: readonly string[] | undefined;
  readonly isReadable: ((path: string) => boolean) | undefined;
}

/** A tool that would run the line it is given, and what its calls knew. */
export function runTool(members: object = {}) {
  const seen: SeenByRun[] = [];
  const run = tool("run", {
    category: "shell",
    annotations: { dangerous: true },
    shellLine: (input) => {
      const { line, ...more } = input as { line?: string };
      return line === undefined ? undefined : { line, ...more };
    },
    execute: (_input, ctx) => {
      const scope = ctx as unknown as CallScope;
      seen.push({
        paths: scope.commandPaths?.(),
        shell: ctx.shell as CommandAnalysis | undefined,
        changes: scope.changes?.(),
        isReadable: scope.readable(),
      });
      return "ran";
    },
    ...members,
  });
  return { run, seen };
}

/** A call of it. */
export const runLine = (line: string, more: object = {}) => ({ name: "run", arguments: { line, ...more } });
