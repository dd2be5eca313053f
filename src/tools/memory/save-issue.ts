import { defineSaveMemory } from "./save-memory.js";

/** Keeps a problem that is not solved yet. */
export const saveIssue = defineSaveMemory({
  name: "save_issue",
  kind: "issue",
  title: "Save issue",
  description: "Remember a problem that was met and is still open; resolve_issue closes it.",
  example: { title: "Tests are flaky on CI", content: "The port is taken when two runs overlap." },
});
