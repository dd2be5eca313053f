import type { Tool } from "../contract/tool.js";
import type { ToolMakers } from "../contract/tool-makers.js";

/** Tools that are registered, but made only when something first asks for them. */
export class WaitingTools {
  /** All of them, made or not, in their order. */
  readonly names: readonly string[];
  readonly #makers: Map<string, () => Tool>;

  constructor(makers: ToolMakers) {
    this.#makers = new Map(Object.entries(makers));
    this.names = [...this.#makers.keys()];
  }

  /** The tool of a name, which no longer waits then. One that could not be made still waits. */
  take(name: string): Tool | undefined {
    const tool = this.#makers.get(name)?.();
    this.#makers.delete(name);
    return tool;
  }

  /** All that still wait. */
  takeAll(): readonly Tool[] {
    const tools = [...this.#makers.values()].map((make) => make());
    this.#makers.clear();
    return tools;
  }
}
