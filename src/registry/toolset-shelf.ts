import { ToolDefinitionError, ToolValidationError } from "../contract/errors.js";
import { nearest } from "../schema/nearest.js";
import { builtinToolsets } from "./builtin-toolsets.js";
import { shorten } from "./tool-name.js";
import type { Toolset, ToolsetDefinition } from "./toolsets.js";
import { compileToolset } from "./toolsets.js";

/** The toolsets that can be asked for by name. */
export class ToolsetShelf {
  readonly #sets = new Map<string, Toolset>();

  constructor(own: Readonly<Record<string, ToolsetDefinition>> = {}) {
    for (const [name, definition] of Object.entries(own)) this.define(name, definition);
  }

  /** Add a set, or write one of one's own anew; the built-in ones stay what they promise. */
  define(name: string, definition: ToolsetDefinition): void {
    if (builtinToolsets.has(name)) {
      throw new ToolDefinitionError(`The toolset "${name}" is built in.`, {
        code: "NAME_TAKEN",
        hint: "Choose another name.",
      });
    }
    this.#sets.set(name, compileToolset(name, definition));
  }

  /** The set of that name, or an error with the nearest one. */
  get(name: string): Toolset {
    const known = this.#sets.get(name) ?? this.#builtin(name);
    if (known !== undefined) return known;
    const names = this.names();
    const near = nearest(name, names);
    throw new ToolValidationError(`There is no toolset "${shorten(name)}".`, {
      code: "VALUE_INVALID",
      hint: near === undefined ? `Use one of ${names.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }

  names(): string[] {
    return [...new Set([...builtinToolsets.keys(), ...this.#sets.keys()])];
  }

  #builtin(name: string): Toolset | undefined {
    const definition = builtinToolsets.get(name);
    if (definition === undefined) return undefined;
    const toolset = compileToolset(name, definition);
    this.#sets.set(name, toolset);
    return toolset;
  }
}
