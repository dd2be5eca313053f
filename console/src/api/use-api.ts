import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get } from "./request.js";

interface ApiOptions<T> {
  readonly everyMs?: number | ((data: T | undefined) => number | false);
  readonly enabled?: boolean;
  /** What another path gave stays until this one has answered, as while somebody types. */
  readonly keepsPrevious?: boolean;
}

/** Read a path and keep it; `everyMs` reads it again for as long as it is shown. */
export function useApi<T>(path: string, options: ApiOptions<T> = {}): UseQueryResult<T> {
  const { everyMs } = options;
  return useQuery<T>({
    queryKey: [path.split("?")[0], path],
    queryFn: ({ signal }) => get<T>(path, signal),
    refetchInterval: typeof everyMs === "function" ? ({ state }) => everyMs(state.data) : (everyMs ?? false),
    enabled: options.enabled ?? true,
    ...(options.keepsPrevious === true && { placeholderData: keepPreviousData }),
  });
}
