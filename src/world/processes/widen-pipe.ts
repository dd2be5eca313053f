import { existsSync } from "node:fs";
import { shellQuote } from "../../command/shell-quote.js";
import { perl } from "./helper.js";

type OnBytes = (bytes: Uint8Array) => Promise<void> | undefined;

/** Most commands write less: they get the pipe that the system makes, of 64 kB. */
const afterBytes = 1024 * 1024;

export interface BusyPipe {
  /** The fifo. */
  readonly path: string;
  readonly onBytes: OnBytes;
  /** Run a line in the helper. */
  readonly runScript: (script: string) => void;
}

/**
 * Passes bytes on, and widens the pipe once a command has written much: with 1 MB both sides wait for each other less often, and a
 * gigabyte takes two thirds of the time.
 */
export function widenWhenBusy({ path, onBytes, runScript }: BusyPipe): OnBytes {
  let left = afterBytes;
  return (bytes) => {
    if (left > 0) {
      left -= bytes.length;
      const script = left > 0 ? undefined : widenScript(path);
      if (script !== undefined) runScript(script);
    }
    return onBytes(bytes);
  };
}

/**
 * What widens a fifo, which neither Node.js nor a shell can; nothing where perl is missing. It opens the fifo
 * without waiting for a writer (`O_NONBLOCK`) and calls `F_SETPIPE_SZ`; the system may refuse that, and nothing is lost.
 */
function widenScript(fifo: string): string | undefined {
  if (process.platform !== "linux" || !existsSync(perl)) return undefined;
  const program = "sysopen(F, $ARGV[0], 2048) and fcntl(F, 1031, 1048576)";
  return `${perl} -e '${program}' ${shellQuote(fifo)} </dev/null 6>&- 7>&- &`;
}
