import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get } from "./request.js";

/** Read a path and keep it; `everyMs` reads it again for as long as it is shown. */
export function useApi<T>(
  path: string,
  options: { everyMs?: number | ((data: T | undefined) => number | false); enabled?: boolean } = {},
): UseQueryResult<T> {
  const { everyMs } = options;
  return useQuery<T>({
    queryKey: [path.split("?")[0], path],
    queryFn: ({ signal }) => get<T>(path, signal),
    refetchInterval: typeof everyMs === "function" ? ({ state }) => everyMs(state.data) : (everyMs ?? false),
    enabled: options.enabled ?? true,
  });
}
