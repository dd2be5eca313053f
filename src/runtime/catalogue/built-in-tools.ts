import type { Tool } from "../../contract/tool.js";
import { snippetTools } from "../../tools/snippet/index.js";
import { planningTools } from "../../tools/planning/index.js";
import { memoryTools } from "../../tools/memory/index.js";
import { codeTools } from "../../tools/code/index.js";
import { controlTools } from "../../tools/control/index.js";
import { artifactTools } from "../../tools/artifact/index.js";
import { dataTools } from "../../tools/data/index.js";
import { createFileTools } from "../../tools/file/index.js";
import { interactionTools } from "../../tools/interaction/index.js";
import { networkTools } from "../../tools/network/index.js";
import { createShellTools } from "../../tools/shell/index.js";
import { systemTools } from "../../tools/system/index.js";

/** All built-in tools; each Tenon has its own instances, because some keep state. */
export const createBuiltInTools = (): readonly Tool[] => [
  ...systemTools,
  ...dataTools,
  ...interactionTools,
  ...networkTools,
  ...createShellTools(),
  ...createFileTools(),
  ...codeTools,
  ...snippetTools,
  ...planningTools,
  ...artifactTools,
  ...controlTools,
  ...memoryTools,
];
