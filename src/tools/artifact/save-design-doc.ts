import { defineSaveDocument } from "./save-document.js";

/** Keeps how it will be built. */
export const saveDesignDoc = defineSaveDocument({
  name: "save_design_doc",
  document: "design",
  title: "Save design document",
  description: "Save the design document of this iteration: how it will be built. Earlier versions are kept.",
});
