import type { ToolProgress } from "../contract/tool.js";
import { toVisibleText } from "../text/visible-text.js";
import type { Terminal } from "./command-line.js";
import type { Spinner } from "./spinner.js";

/** What a running call says, on standard error. */
export interface LiveOutput {
  show(progress: ToolProgress): void;
  /** The answer without the output at its start that is already on the screen. */
  rest(answer: string): string;
}

/** Show what a call says, line by line: the spinner redraws its line, so a line that is not complete would be lost. */
export function createLiveOutput(terminal: Terminal, spinner: Spinner): LiveOutput {
  const begun = { stdout: "", stderr: "" };
  let shown = "";
  const write = (lines: string): void => {
    spinner.pause();
    terminal.stderr.write(toVisibleText(lines));
  };
  return {
    show({ message, output }) {
      if (output === undefined) {
        if (message !== undefined) write(`${message}\n`);
        return;
      }
      const stream = message === "stderr" ? "stderr" : "stdout";
      const text = begun[stream] + output;
      const end = text.lastIndexOf("\n") + 1;
      begun[stream] = text.slice(end);
      if (end === 0) return;
      if (stream === "stdout") shown += text.slice(0, end);
      write(text.slice(0, end));
    },
    rest: (answer) =>
      terminal.stdout.isTTY === true && `${answer}\n`.startsWith(shown)
        ? `${answer}\n`.slice(shown.length)
        : `${answer}\n`,
  };
}
