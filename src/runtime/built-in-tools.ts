import type { Tool } from "../contract/tool.js";
import { dataTools } from "../tools/data/index.js";
import { interactionTools } from "../tools/interaction/index.js";
import { networkTools } from "../tools/network/index.js";
import { systemTools } from "../tools/system/index.js";

/** Every tool that comes with Tenon. */
export const builtInTools: readonly Tool[] = [
  ...systemTools,
  ...dataTools,
  ...interactionTools,
  ...networkTools,
];
