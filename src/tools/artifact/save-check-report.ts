import { defineSaveDocument } from "./save-document.js";

/** Saves the report of the check stage. */
export const saveCheckReport = defineSaveDocument({
  name: "save_check_report",
  document: "check",
  title: "Save check report",
  description:
    "Save the check report of this iteration: the results of testing and reviewing the work. Earlier versions are kept.",
});
