import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import { envKey } from "./env-key.js";
import { steersPrograms } from "./steers-programs.js";

/** Sets an environment variable of the session. */
export const setEnv = defineTool({
  name: "set_env",
  description:
    "Set an environment variable for later commands of this session. Nothing outside the session changes.",
  category: "system",
  annotations: { title: "Set environment variable", idempotent: true },
  examples: [{ arguments: { key: "NODE_ENV", value: "test" } }],
  input: z.object({
    key: envKey.describe("Name of the variable."),
    // The system limits a variable to 128 kB; this many characters always fit.
    value: z.string().max(32_768).describe("The new value."),
  }),
  output: z.object({
    previous: z.string().nullable().describe("The previous value, or null if it was not set."),
  }),
  resources: ({ key }) => ({ writes: [{ env: key }] }),
  checkPermissions: ({ key }) =>
    steersPrograms(key)
      ? { behavior: "ask", message: `${key} can change which code later commands run.` }
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
      : `Set ${key}; the previous value was ${JSON.stringify(previous)}.`,
});

function nulInValue(key: string): ToolValidationError {
  return new ToolValidationError(`The value for ${key} contains a NUL character.`, {
    code: "VALUE_INVALID",
    hint: "An environment variable cannot contain NUL: remove it or encode the value, for example as Base64.",
    details: { argument: "value" },
  });
}
