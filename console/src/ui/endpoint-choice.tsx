import type { EndpointView } from "../api/types.js";
import { useApi } from "../api/use-api.js";
import { FormChoice } from "./form-field.js";

interface EndpointChoiceProps {
  readonly label: string;
  /** Stands for all of them. */
  readonly everywhere: string;
  readonly value: string;
  readonly onChange: (endpoint: string) => void;
}

/** One of the MCP endpoints, or all. */
export function EndpointChoice({ everywhere, ...rest }: EndpointChoiceProps) {
  const endpoints = useApi<readonly EndpointView[]>("/api/endpoints");
  return (
    <FormChoice
      {...rest}
      options={(endpoints.data ?? [{ name: "" }]).map(({ name }) => [
        name,
        name === "" ? everywhere : `/mcp/${name}`,
      ])}
    />
  );
}
