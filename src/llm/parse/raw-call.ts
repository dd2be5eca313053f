import type { Unreadable } from "./reader.js";

/** An argument that was written as text between tags: its type is not known yet. */
export interface WrittenText {
  readonly text: string;
  /** The text says itself that it is JSON. */
  readonly json: boolean;
}

/** A call as it was read, before names and types are looked up. */
export interface RawCall {
  readonly name: string;
  readonly id?: string | undefined;
  /** Arguments with types (JSON), or texts that still need them (XML). */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly texts?: readonly (readonly [name: string, value: WrittenText])[] | undefined;
  /** The way of writing. */
  readonly dialect: string;
  /** Keys beside the arguments that say something about the call, unless the tool has an argument of that name. */
  readonly beside?: readonly string[] | undefined;
}

/** How the readers of dialects know what is a tool. */
export interface KnownNames {
  /** Whether a list of tools was given at all. */
  readonly closed: boolean;
  /** Whether calls in fences that stand in prose count. @default false */
  readonly fences?: boolean | undefined;
  has(name: string): boolean;
}

/** A piece of the text that is calls, or should have been. */
export interface FoundCalls {
  readonly calls: readonly RawCall[];
  readonly problem?: Unreadable | undefined;
  readonly start: number;
  readonly end: number;
}
