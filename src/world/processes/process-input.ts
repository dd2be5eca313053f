import type { Writable } from "node:stream";

/** The standard input of a program that runs. */
export interface ProcessInput {
  /** Resolves when the system has taken all of it; rejects if the program no longer reads. */
  write(text: string): Promise<void>;
  /** Nothing more will come. */
  end(): void;
  readonly isOpen: boolean;
}

/** Encoded at a time, so that a long text is never in memory twice. */
const chunkChars = 64 * 1024;

/** The input of a program by the pipe that leads to it. */
export function createPipeInput(pipe: Writable): ProcessInput {
  // A program that ends or closes its input is told by the rejected write.
  pipe.on("error", () => pipe.destroy());
  return {
    async write(text) {
      for (let at = 0; at < text.length;) {
        const end = chunkEnd(text, at);
        const bytes = Buffer.from(text.slice(at, end));
        await new Promise<void>((resolve, reject) => {
          pipe.write(bytes, (error) => (error instanceof Error ? reject(error) : resolve()));
        });
        at = end;
      }
    },
    end: () => void pipe.end(),
    get isOpen() {
      return pipe.writable;
    },
  };
}

/** Write all that a command is to read, and close its input. A command need not read all of it. */
export function feedInput(input: ProcessInput | undefined, text: string | undefined): void {
  if (input === undefined || text === undefined) return;
  const end = (): void => input.end();
  input.write(text).then(end, end);
}

/** A pair of surrogates is never split. */
function chunkEnd(text: string, start: number): number {
  const end = Math.min(start + chunkChars, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}
