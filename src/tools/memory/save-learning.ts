import { defineSaveMemory } from "./save-memory.js";

export const saveLearning = defineSaveMemory({
  name: "save_learning",
  kind: "learning",
  title: "Save learning",
  description: "Save what was learned from the work, so that it goes better next time.",
  example: { title: "Migrate before deploying", content: "The new code needs the new column." },
});
