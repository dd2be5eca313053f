import { describeValue, pluginError } from "./plugin-error.js";

/** What went wrong while the plugin's own code was run for the first time. */
export function importError(label: string, error: unknown): Error {
  const known = error instanceof Error;
  const where = known
    ? /\n\s+at .*?\(?((?:file:\/\/)?\/[^()\s]+:\d+:\d+)\)?/.exec(error.stack ?? "")?.[1]
    : undefined;
  const what = known ? `${error.name}: ${error.message}` : describeValue(error);
  return pluginError(
    label,
    [`it threw while it was imported: ${what}${where === undefined ? "" : ` (at ${where})`}`],
    error,
  );
}
