import type { Terminal } from "./command-line.js";
import { cutColumns } from "./wrap.js";

/** A sign of life on standard error, in one line that is redrawn and leaves nothing behind. */
export interface Spinner {
  /** Draw from now on, unless it ends soon. */
  start(text: string): void;
  /** Remove the line until it is drawn again: something else is printed. */
  pause(): void;
  /** Remove the line for good: it ended, or a person is asked. */
  stop(): void;
}

/** Only what takes longer than this needs one. */
const delayMs = 500;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** A spinner at a terminal; without one, or with `--json`, it shows nothing. */
export function createSpinner(
  terminal: Terminal,
  { json }: { readonly json?: boolean | undefined },
): Spinner {
  if (terminal.stderr.isTTY !== true || json === true)
    return { start: () => {}, pause: () => {}, stop: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let isDrawn = false;
  const pause = (): void => {
    if (isDrawn) terminal.stderr.write("\r\u001b[K");
    isDrawn = false;
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    pause();
  };
  return {
    start(text) {
      stop();
      const begun = Date.now();
      timer = setInterval(() => {
        const elapsed = Date.now() - begun;
        if (elapsed < delayMs) return;
        const frame = frames[Math.floor(elapsed / 100) % frames.length] ?? "";
        isDrawn = true;
        const line = `${frame} ${text} ${Math.round(elapsed / 1000)} s`;
        terminal.stderr.write(`\r${cutColumns(line, (terminal.stdout.columns ?? 80) - 1)}\u001b[K`);
      }, 100);
      timer.unref();
    },
    pause,
    stop,
  };
}

/** Show a sign of life while something runs. */
export async function whileWorking<T>(spinner: Spinner, text: string, work: Promise<T>): Promise<T> {
  spinner.start(text);
  try {
    return await work;
  } finally {
    spinner.stop();
  }
}
