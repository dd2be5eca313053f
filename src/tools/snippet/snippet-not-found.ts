import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { SnippetStore } from "../../contract/ports/snippets.js";
import { nearest } from "../../schema/nearest.js";

/** The error for a missing snippet, with the nearest name. */
export async function snippetNotFound(
  snippets: SnippetStore,
  name: string,
): Promise<ToolResourceNotFoundError> {
  const near = nearest(name, await snippets.names());
  return new ToolResourceNotFoundError(`Snippet "${name}" not found.`, {
    hint: near === undefined ? "Use snippet_list to see the saved snippets." : `Did you mean "${near}"?`,
    details: { name },
  });
}
