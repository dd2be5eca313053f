import { ToolDefinitionError, ToolValidationError } from "../contract/errors.js";
import { nearest } from "../schema/nearest.js";
import { builtinToolsets } from "./builtin-toolsets.js";
import { shorten } from "./tool-name.js";
import type { Toolset, ToolsetDefinition } from "./toolsets.js";
import { compileToolset } from "./toolsets.js";

/** The toolsets by name. */
export class ToolsetCatalogue {
  readonly #sets = new Map<string, Toolset>();

  constructor(own: Readonly<Record<string, ToolsetDefinition>> = {}) {
    for (const [name, definition] of Object.entries(own)) this.define(name, definition);
  }

  /** Add a toolset, or replace a custom one; built-in ones cannot be replaced. */
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
    throw new ToolValidationError(`Unknown toolset "${shorten(name)}".`, {
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
