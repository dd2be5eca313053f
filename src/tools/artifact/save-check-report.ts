import { defineSaveDocument } from "./save-document.js";

/** Keeps what checking found. */
export const saveCheckReport = defineSaveDocument({
  name: "save_check_report",
  document: "check",
  title: "Save check report",
  description: "Save the report on checking the work of this iteration. Earlier versions are kept.",
});
