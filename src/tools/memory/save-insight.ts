import { defineSaveMemory } from "./save-memory.js";

export const saveInsight = defineSaveMemory({
  name: "save_insight",
  kind: "insight",
  title: "Save insight",
  description: "Save an insight of this iteration: a finding that later work should know.",
  example: {
    title: "The API pages by cursor",
    content: "next_cursor is empty on the last page.",
    tags: ["api"],
  },
});
