import { messageOf } from "../../contract/message-of.js";
import type { KeptOutput, Outputs, OutputWriter } from "../../contract/ports/outputs.js";
import type { CommandOutput } from "../../contract/ports/processes.js";
import type { OutputSink, OutputStream } from "./launch.js";
import { createOutputWindow } from "./output-window.js";

/** Gathers what a command writes: head and tail for the answer, and the whole in the store where that is more. */
export interface OutputCollector {
  readonly sink: OutputSink;
  /** Bytes of both streams. */
  readonly bytes: number;
  read(stream: OutputStream): CommandOutput;
  /** Where the whole is kept, once it is more than the windows hold. */
  readonly handle: string | undefined;
  /** Complete the kept output; where it could not be kept, why. */
  finish(): Promise<{ readonly kept?: KeptOutput; readonly fault?: string }>;
  /** Nobody wants it any more. */
  abort(): void;
}

/** The head and the tail of each stream that an answer holds. */
export const windowBytes = 32 * 1024;

/** Make a collector; `onBytes` sees every piece after it was taken. */
export function createOutputCollector(
  outputs: Outputs,
  onBytes: (stream: OutputStream, bytes: Uint8Array) => void = () => {},
): OutputCollector {
  const windows = {
    stdout: createOutputWindow(windowBytes, windowBytes),
    stderr: createOutputWindow(windowBytes, windowBytes),
  };
  /** Both streams in the order in which they came, until it is clear that the windows do not hold them. */
  let early: Uint8Array[] = [];
  let writer: OutputWriter | undefined;
  let bytes = 0;

  const keep = (chunk: Uint8Array): Promise<void> | undefined => {
    if (writer !== undefined) return writer.write(chunk);
    early.push(Uint8Array.prototype.slice.call(chunk));
    if (bytes <= 2 * windowBytes) return undefined;
    writer = outputs.create();
    const kept = early;
    early = [];
    return kept.reduce<Promise<void> | undefined>((busy, piece) => writer?.write(piece) ?? busy, undefined);
  };
  return {
    sink(stream, chunk) {
      bytes += chunk.length;
      windows[stream].push(chunk);
      const busy = keep(chunk);
      onBytes(stream, chunk);
      return busy;
    },
    get bytes() {
      return bytes;
    },
    read: (stream) => windows[stream].read(),
    get handle() {
      return writer?.handle;
    },
    async finish() {
      if (writer === undefined) return {};
      try {
        return { kept: await writer.finish() };
      } catch (thrown) {
        return { fault: messageOf(thrown) };
      }
    },
    abort: () => writer?.abort(),
  };
}
