import { ToolExecutionError } from "../../contract/errors.js";
import { throwIfAborted } from "../files/file-errors.js";
import { startRipgrep, type Ripgrep } from "./start-ripgrep.js";

export interface RipgrepRun {
  readonly program: Ripgrep;
  readonly args: readonly string[];
  /** Absolute real path of the directory to search in. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The bytes are valid only until it returns. */
  readonly onOutput: (chunk: Buffer, stop: () => void) => void;
}

/** How a run of ripgrep ended. */
export interface RipgrepEnd {
  readonly code: number | null;
  /** Why it was stopped, if it was: there was enough, or it took too long. */
  readonly cut: "count" | "time" | undefined;
  /** What it wrote to its standard error. */
  readonly complaint: string;
}

const maxComplaintChars = 4000;

/** Run ripgrep within a time limit; it is killed once its output is enough or the call is cancelled. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  throwIfAborted(run.signal);
  let cut: RipgrepEnd["cut"];
  let complaint = "";
  const ripgrep = startRipgrep({
    ...run,
    onBytes(stream, bytes) {
      if (stream === "stdout") {
        if (cut === undefined) run.onOutput(bytes, () => stop("count"));
      } else if (complaint.length < maxComplaintChars) complaint += bytes.toString("utf8");
    },
  });
  const stop = (why: RipgrepEnd["cut"]): void => {
    cut ??= why;
    ripgrep.kill();
  };
  const cancel = (): void => stop(undefined);
  const timer = setTimeout(() => stop("time"), run.timeoutMs);
  run.signal.addEventListener("abort", cancel, { once: true });
  try {
    const code = await ripgrep.ended;
    throwIfAborted(run.signal);
    if (cut === undefined && !ownCodes.has(code)) throw brokenOff(code, complaint);
    return { code, cut, complaint };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", cancel);
  }
}

/** Something was found, nothing was, and there were errors. */
const ownCodes: ReadonlySet<number | null> = new Set([0, 1, 2]);

/** Somebody else has ended it: what it has found by then must not pass for everything. */
function brokenOff(code: number | null, complaint: string): ToolExecutionError {
  const reason = complaint.trim().slice(0, 500) || (code === null ? "it was killed" : `exit code ${code}`);
  return new ToolExecutionError(`The search was aborted because ripgrep did not end by itself: ${reason}.`, {
    retryable: true,
    hint: "Call again; if it happens again, the system may be out of memory.",
  });
}

/** Calls `take` for every part of a stream that ends with a byte. */
export function bySeparator(
  separator: number,
  take: (bytes: Buffer, start: number, end: number) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, start)) {
      take(bytes, start, end);
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  };
}

/** Calls `take` for every line `path NUL …` about a file that counts, with its name and what follows the NUL. */
export function byFileLine(
  wants: (file: string) => boolean,
  take: (file: string, rest: string) => void,
): (chunk: Buffer) => void {
  const nameOf = createNames(wants);
  return bySeparator(10, (bytes, start, end) => {
    const nul = bytes.indexOf(0, start);
    if (nul === -1 || nul > end) return;
    const file = nameOf(bytes.subarray(start, nul));
    // Numbers come first; the text of the line is not needed.
    if (file !== undefined) take(file, bytes.toString("latin1", nul + 1, Math.min(end, nul + 80)));
  });
}

/** The name of a file from its bytes; `undefined` if it does not count. The same name mostly comes again. */
export function createNames(wants: (file: string) => boolean): (raw: Buffer) => string | undefined {
  let last: Buffer = Buffer.alloc(0);
  let name: string | undefined;
  return (raw) => {
    if (raw.equals(last)) return name;
    last = Buffer.from(raw);
    const file = raw.toString("utf8").replace(/^\.\//, "");
    name = wants(file) ? file : undefined;
    return name;
  };
}
