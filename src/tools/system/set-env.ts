import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { envKey } from "./env-key.js";
import { steersPrograms } from "./steers-programs.js";

/** Sets one variable of the session's environment. */
export const setEnv = defineTool({
  name: "set_env",
  description:
    "Set an environment variable for the later commands of this session; nothing outside the session changes.",
  category: "system",
  annotations: { title: "Set environment variable", idempotent: true },
  examples: [{ arguments: { key: "NODE_ENV", value: "test" } }],
  input: z.object({
    key: envKey.describe("Name of the variable."),
    // The system takes 128 kB for one variable at most; this many characters always fit.
    value: z.string().max(32_768).describe("The new value."),
  }),
  output: z.object({
    previous: z.string().nullable().describe("What it was before, or null if it was not set."),
  }),
  resources: ({ key }) => ({ writes: [{ env: key }] }),
  checkPermissions: ({ key }) =>
    steersPrograms(key)
      ? { behavior: "ask", message: `${key} decides which code later commands run.` }
      : { behavior: "allow" },
  preview: ({ key, value }) => ({ summary: `Set ${key} to ${JSON.stringify(value)} for this session.` }),
  execute: async ({ key, value }, { env }) => {
    if (value.includes("\0")) throw nulInValue(key);
    const previous = env.set(key, value);
    await env.kept?.();
    return { previous };
  },
  render: ({ previous }, { key }) =>
    previous === null
      ? `Set ${key}; it was not set before.`
      : `Set ${key}; before, it was ${JSON.stringify(previous)}.`,
});

function nulInValue(key: string): ToolValidationError {
  return new ToolValidationError(`The value for ${key} contains a NUL character.`, {
    code: "VALUE_INVALID",
    hint: "An environment variable ends at a NUL; leave it out or encode the value, for example in Base64.",
    details: { argument: "value" },
  });
}
