import { defineSaveDocument } from "./save-document.js";

/** Saves the document of the plan stage. */
export const savePlanDoc = defineSaveDocument({
  name: "save_plan_doc",
  document: "plan",
  title: "Save plan document",
  description:
    "Save the plan document of this iteration: the steps of the work and their order. Earlier versions are kept.",
});
