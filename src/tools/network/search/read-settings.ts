import * as z from "zod";
import { ToolUnavailableError } from "../../../contract/errors.js";

const text = z.string().trim().optional();

const settingsSchema = z.object({
  provider: text,
  apiKey: text,
  url: text,
  /** Another name for `url`. */
  baseUrl: text,
  engineId: text,
  maxResults: z.number().int().min(1).optional(),
});

export type WebSearchSettings = Omit<z.infer<typeof settingsSchema>, "baseUrl">;

/** Read the `custom` block; an error names an invalid setting but does not show its value. */
export function readSettings(settings: Readonly<Record<string, unknown>>): WebSearchSettings {
  const parsed = settingsSchema.safeParse(settings);
  const { baseUrl, ...read } = parsed.data ?? {};
  const url = read.url ?? baseUrl;
  if (parsed.success && (url === undefined || URL.canParse(url))) return { ...read, url };
  const invalid = parsed.error?.issues.map(({ path }) => path.join(".")) ?? ["url"];
  throw new ToolUnavailableError(`Invalid settings for web_search: ${[...new Set(invalid)].join(", ")}.`, {
    code: "SERVICE_UNAVAILABLE",
    retryable: false,
    hint: "Fix them under tools.webSearch in the configuration.",
  });
}
