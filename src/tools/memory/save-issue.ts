import { defineSaveMemory } from "./save-memory.js";

export const saveIssue = defineSaveMemory({
  name: "save_issue",
  kind: "issue",
  title: "Save issue",
  description: "Save a problem that is still open. Close it later with resolve_issue.",
  example: { title: "Tests are flaky on CI", content: "The port is taken when two runs overlap." },
});
