import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { ignoring } from "../../contract/errno.js";
import { createPipeInput, type ProcessInput } from "./process-input.js";

/** A named pipe that becomes the standard input of a program. */
export interface InputFifo {
  readonly path: string;
  /** The program has opened it, and its name is no longer needed. `undefined` if the program has ended already. */
  connect(): ProcessInput | undefined;
  /** The program was not started. */
  close(): void;
}

/** Hold a named pipe open, so that a program that opens it does not wait. */
export function holdInputFifo(path: string): InputFifo {
  // While nobody reads, only a descriptor for both directions can be opened at once.
  const held = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const close = (): void => {
    closeSync(held);
    unlinkSync(path);
  };
  return {
    path,
    connect() {
      // With a descriptor for writing only, a write fails if the reader has ended.
      const fd = openWriter(path);
      close();
      return fd === undefined
        ? undefined
        : createPipeInput(new Socket({ fd, readable: false, writable: true }));
    },
    close,
  };
}

/** `undefined` if nobody reads. */
export function openWriter(path: string): number | undefined {
  return ignoring("ENXIO", () => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
}
