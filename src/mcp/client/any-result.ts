import type { StandardSchemaV1 } from "@modelcontextprotocol/client";

/** Takes every result as it is: what a server sends is judged piece by piece later, not as a whole. */
export const anyResult: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  "~standard": {
    version: 1,
    vendor: "tenon",
    validate: (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { value: value as Readonly<Record<string, unknown>> }
        : { issues: [{ message: "the result is no object" }] },
  },
};
