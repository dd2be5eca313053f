import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { envKey } from "./env-key.js";

/** Reads an environment variable of the session. */
export const getEnv = defineTool({
  name: "get_env",
  description: "Read an environment variable of this session.",
  category: "system",
  annotations: { title: "Read environment variable", readOnly: true, idempotent: true },
  examples: [{ arguments: { key: "NODE_ENV" } }],
  input: z.object({ key: envKey.describe("Name of the variable.") }),
  output: z.object({ value: z.string().nullable().describe("The value, or null if it is not set.") }),
  resources: ({ key }) => ({ reads: [{ env: key }] }),
  execute: ({ key }, { env }) => ({ value: env.get(key) }),
  render: ({ value }, { key }) => {
    if (value === null) return `${key} is not set.`;
    return value === "" ? `${key} is set, but empty.` : value;
  },
});
