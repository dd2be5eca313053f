import { messageOf } from "../../contract/message-of.js";
import type { KeptOutput, Outputs, OutputWriter } from "../../contract/ports/outputs.js";
import type { CommandOutput } from "../../contract/ports/processes.js";
import type { OutputSink, OutputStream } from "./launch.js";
import { createOutputWindow } from "./output-window.js";

/** Collects the output of a command: head and tail for the answer, and everything in the output store if there is more. */
export interface OutputCollector {
  readonly sink: OutputSink;
  /** Bytes of both streams. */
  readonly bytes: number;
  read(stream: OutputStream): CommandOutput;
  /** The handle of the stored output, once there is more than the windows hold. */
  readonly handle: string | undefined;
  /** Complete the stored output; `fault` says why it could not be stored. */
  finish(): Promise<{ readonly kept?: KeptOutput; readonly fault?: string }>;
  /** Discard the stored output. */
  abort(): void;
}

/** The head and the tail of each stream that an answer holds. */
export const windowBytes = 32 * 1024;

/** Create a collector; `onBytes` gets every chunk after it was collected. */
export function createOutputCollector(
  outputs: Outputs,
  onBytes: (stream: OutputStream, bytes: Uint8Array) => void = () => {},
): OutputCollector {
  const windows = {
    stdout: createOutputWindow(windowBytes, windowBytes),
    stderr: createOutputWindow(windowBytes, windowBytes),
  };
  /** Chunks of both streams in order of arrival, until there is more than the windows hold. */
  let buffered: Uint8Array[] = [];
  let writer: OutputWriter | undefined;
  let bytes = 0;

  const store = (chunk: Uint8Array): Promise<void> | undefined => {
    if (writer !== undefined) return writer.write(chunk);
    buffered.push(Uint8Array.prototype.slice.call(chunk));
    if (bytes <= 2 * windowBytes) return undefined;
    writer = outputs.create();
    const kept = buffered;
    buffered = [];
    return kept.reduce<Promise<void> | undefined>((busy, piece) => writer?.write(piece) ?? busy, undefined);
  };
  return {
    sink(stream, chunk) {
      bytes += chunk.length;
      windows[stream].push(chunk);
      const busy = store(chunk);
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
