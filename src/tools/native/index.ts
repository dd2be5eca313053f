import type { Tool } from "../../contract/tool.js";
import { createBash } from "./bash.js";
import { memory } from "./memory.js";
import { openAiPatch } from "./openai-patch.js";
import { openAiShell } from "./openai-shell.js";
import type { NativeProvider } from "./providers.js";
import { textEditor } from "./text-editor.js";

/** The tools that the models of some providers were trained on. */
export function createNativeTools(providers: readonly NativeProvider[]): readonly Tool[] {
  return [
    ...(providers.includes("anthropic") ? [textEditor, createBash(), memory] : []),
    ...(providers.includes("openai") ? [openAiPatch, openAiShell] : []),
  ];
}
