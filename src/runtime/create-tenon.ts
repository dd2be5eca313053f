import { buildCatalogue } from "./build-catalogue.js";
import { buildSpine } from "./build-spine.js";
import { buildState } from "./build-state.js";
import { buildWorld } from "./build-world.js";
import { openTenon } from "./open-tenon.js";
import type { TenonOptions } from "./tenon-options.js";
import type { Tenon } from "./tenon.js";

/**
 * Build a Tenon. It holds no resources until the first call; `close` releases them.
 *
 * @example
 * const tenon = createTenon({ workspace: ".", tools: [greet] });
 * const answer = await tenon.call({ name: "greet", arguments: { who: "Ada" } });
 */
export function createTenon(options: TenonOptions = {}): Tenon {
  const state = buildState(options);
  const world = buildWorld(state);
  const catalogue = buildCatalogue(world);
  const spine = buildSpine(catalogue);
  return openTenon(spine, createTenon);
}
