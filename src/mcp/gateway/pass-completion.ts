import type { CompletionRequest, CompletionResult, HostScope } from "../../contract/host.js";
import { isRecord } from "../../contract/is-record.js";
import { ownFields } from "../client/own-fields.js";
import type { GatewayServer } from "./gateway-server.js";

/** Ask a server for the values of an argument; one without completion has none. */
export async function completeBy(
  server: GatewayServer,
  {
    ref,
    argument,
    value,
    given,
    params,
  }: CompletionRequest & { readonly ref: Readonly<Record<string, string>> },
  scope: HostScope,
): Promise<CompletionResult> {
  const connection = await server.link.use();
  if (!connection.offers.completions) return { completion: { values: [] } };
  const { _meta, ...asked } = params ?? {
    argument: { name: argument, value },
    ...(Object.keys(given).length > 0 && { context: { arguments: given } }),
  };
  const whole = { ...asked, ref: { ...Object(asked["ref"]), ...ref } };
  const { completion, ...fields } = ownFields(await server.request("completion/complete", whole, scope));
  const { values, total, hasMore, ...more } = isRecord(completion) ? completion : {};
  return {
    ...fields,
    completion: {
      ...more,
      values: Array.isArray(values) ? values.filter((one) => typeof one === "string").slice(0, 100) : [],
      ...(typeof total === "number" && { total }),
      ...(typeof hasMore === "boolean" && { hasMore }),
    },
  };
}
