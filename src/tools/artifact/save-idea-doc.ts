import { defineSaveDocument } from "./save-document.js";

/** Saves the document of the idea stage. */
export const saveIdeaDoc = defineSaveDocument({
  name: "save_idea_doc",
  document: "idea",
  title: "Save idea document",
  description:
    "Save the idea document of this iteration: what should be built and why. Earlier versions are kept.",
});
