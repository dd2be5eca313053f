import type { Completion, CompletionRequest, HostScope } from "../../contract/host.js";
import type { GatewayServer } from "./gateway-server.js";

/** Ask a server for the values of an argument; one without completion has none. */
export async function completeBy(
  server: GatewayServer,
  { ref, argument, value, given }: CompletionRequest & { readonly ref: Readonly<Record<string, string>> },
  scope: HostScope,
): Promise<Completion> {
  const connection = await server.link.use();
  if (!connection.offers.completions) return { values: [] };
  const params = {
    ref,
    argument: { name: argument, value },
    ...(Object.keys(given).length > 0 && { context: { arguments: given } }),
  };
  const { completion } = await server.request("completion/complete", params, scope);
  const { values, total, hasMore } = Object(completion) as Record<string, unknown>;
  return {
    values: Array.isArray(values) ? values.filter((one) => typeof one === "string").slice(0, 100) : [],
    ...(typeof total === "number" && { total }),
    ...(typeof hasMore === "boolean" && { hasMore }),
  };
}
