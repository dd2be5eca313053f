import { defineSaveMemory } from "./save-memory.js";

/** Keeps something that was found out. */
export const saveInsight = defineSaveMemory({
  name: "save_insight",
  kind: "insight",
  title: "Save insight",
  description: "Remember an insight of this iteration: something found out that later work should know.",
  example: {
    title: "The API pages by cursor",
    content: "next_cursor is empty on the last page.",
    tags: ["api"],
  },
});
