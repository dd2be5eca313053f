import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isRecord } from "../../contract/is-record.js";

/** Where a result is kept that the SDK must not judge. */
export const rawResult: unique symbol = Symbol("raw result");

/** Takes every result as it is: what a server sends is judged piece by piece later, not as a whole. */
export const anyResult: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  "~standard": {
    version: 1,
    vendor: "tenon",
    validate: (value) =>
      isRecord(value)
        ? { value: (value as { [rawResult]?: typeof value })[rawResult] ?? value }
        : { issues: [{ message: "the result is not an object" }] },
  },
};
