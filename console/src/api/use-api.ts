import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get } from "./request.js";

/** Read a path and keep it; `everyMs` reads it again for as long as it is shown. */
export function useApi<T>(
  path: string,
  options: { everyMs?: number; enabled?: boolean } = {},
): UseQueryResult<T> {
  return useQuery({
    queryKey: [path.split("?")[0], path],
    queryFn: ({ signal }) => get<T>(path, signal),
    refetchInterval: options.everyMs ?? false,
    enabled: options.enabled ?? true,
  });
}
