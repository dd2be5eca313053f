import { defineSaveDocument } from "./save-document.js";

/** Keeps what is wanted and why. */
export const saveIdeaDoc = defineSaveDocument({
  name: "save_idea_doc",
  document: "idea",
  title: "Save idea document",
  description: "Save the idea document of this iteration: what is wanted and why. Earlier versions are kept.",
});
