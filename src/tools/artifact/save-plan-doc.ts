import { defineSaveDocument } from "./save-document.js";

/** Keeps the order of the work. */
export const savePlanDoc = defineSaveDocument({
  name: "save_plan_doc",
  document: "plan",
  title: "Save plan document",
  description: "Save the plan document of this iteration: the order of the work. Earlier versions are kept.",
});
