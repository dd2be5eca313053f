import { defineSaveDocument } from "./save-document.js";

/** Saves the product requirements document. */
export const savePrdDoc = defineSaveDocument({
  name: "save_prd_doc",
  document: "prd",
  title: "Save PRD",
  description: "Save the product requirements document of this iteration. Earlier versions are kept.",
});
