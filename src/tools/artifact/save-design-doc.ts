import { defineSaveDocument } from "./save-document.js";

/** Saves the document of the design stage. */
export const saveDesignDoc = defineSaveDocument({
  name: "save_design_doc",
  document: "design",
  title: "Save design document",
  description: "Save the design document of this iteration: how it will be built. Earlier versions are kept.",
});
