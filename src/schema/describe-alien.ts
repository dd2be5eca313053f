import { clip } from "./format-path.js";

/** Say what a value is that JSON does not know. */
export function describeAlien(value: unknown): string {
  if (typeof value === "function") return "a function";
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

const wayOut: Readonly<Record<string, string>> = {
  Date: "send a date as an ISO 8601 string",
  Buffer: "send bytes as a base64 string",
  Uint8Array: "send bytes as a base64 string",
  ArrayBuffer: "send bytes as a base64 string",
  Map: "send a plain object",
  Set: "send an array",
  Promise: "await it first",
};

/** Say of which class an object is, and what to send instead. */
export function describeInstance(value: object, prototype: object): string {
  // Only our own constructors are asked for their name by value; a hostile one may answer anything.
  const maker: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  const name: unknown = typeof maker === "function" ? maker.name : undefined;
  const called = typeof name === "string" && name !== "" ? clip(name, 40) : typeof value;
  const hint = Object.hasOwn(wayOut, called) ? `: ${wayOut[called]}` : "";
  return `is an instance of ${called}, not a plain object${hint}`;
}

/** Say why a value could not be read, whatever it threw. */
export function describeThrown(error: unknown): string {
  try {
    // A hostile error may carry anything as its message.
    return clip(String(error instanceof Error ? (error.message as unknown) : error));
  } catch {
    return "it throws when read";
  }
}
