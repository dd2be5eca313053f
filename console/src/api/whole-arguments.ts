import { get } from "./request.js";
import type { ShownRecord } from "./types.js";

/** Whether a record shows only the beginning of its arguments. */
export function hasCutArguments({ large }: ShownRecord): boolean {
  return large.some(({ of }) => of === "arguments");
}

/** What a call was given, all of it. */
export async function readWholeArguments(record: ShownRecord): Promise<unknown> {
  if (!hasCutArguments(record)) return record.arguments;
  return (await get<{ readonly arguments: unknown }>(recordPath(record.callId))).arguments;
}

/** Where the API has a record as it was written. */
export function recordPath(callId: string): string {
  return `/api/log/${encodeURIComponent(callId)}`;
}
