import { defineSaveMemory } from "./save-memory.js";

/** Keeps what was learned. */
export const saveLearning = defineSaveMemory({
  name: "save_learning",
  kind: "learning",
  title: "Save learning",
  description: "Remember what was learned from doing the work, so that it is done better next time.",
  example: { title: "Migrate before deploying", content: "The new code needs the new column." },
});
