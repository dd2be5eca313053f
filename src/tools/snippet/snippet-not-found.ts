import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { SnippetStore } from "../../contract/ports/snippets.js";
import { nearest } from "../../schema/nearest.js";

/** The error for a snippet that is not there, with the nearest name. */
export async function snippetNotFound(
  snippets: SnippetStore,
  name: string,
): Promise<ToolResourceNotFoundError> {
  const near = nearest(name, await snippets.names());
  return new ToolResourceNotFoundError(`Snippet "${name}" was not found.`, {
    hint: near === undefined ? "List what there is with snippet_list." : `Did you mean "${near}"?`,
    details: { name },
  });
}
