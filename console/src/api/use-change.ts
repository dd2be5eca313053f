import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { change } from "./request.js";

interface Sent {
  readonly method: "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

/** Change something, and read the lists at these paths again. */
export function useChange<T = unknown>(paths: readonly string[]): UseMutationResult<T, Error, Sent> {
  const client = useQueryClient();
  return useMutation<T, Error, Sent>({
    mutationFn: ({ method, path, body }) => change<T>(method, path, body),
    onSettled: () => Promise.all(paths.map((path) => client.invalidateQueries({ queryKey: [path] }))),
  });
}
