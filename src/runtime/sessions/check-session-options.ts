import { ToolDefinitionError } from "../../contract/errors.js";
import { isRecord } from "../../contract/is-record.js";
import { roles } from "../../contract/ports/access.js";
import type { SessionOptions } from "../../contract/tenon.js";
import { describeValue } from "../../plugin/plugin-error.js";
import { checkKeys } from "../../schema/check-keys.js";

/** What the value of an option must be, in words, and whether it is. */
type Expected = readonly [text: string, fits: (value: unknown) => boolean];

const text: Expected = ["a string", (value) => typeof value === "string"];
const texts: Expected = [
  "a list of strings",
  (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
];
const object: Expected = ["an object", (value) => typeof value === "object" && value !== null];
const variables: Expected = [
  "an object of strings",
  (value) => isRecord(value) && Object.values(value).every((each) => typeof each === "string"),
];
const predicate: Expected = ["a function", (value) => typeof value === "function"];
const role: Expected = [`one of ${roles.join(", ")}`, (value) => roles.some((each) => each === value)];

const expectations: Readonly<Record<keyof SessionOptions, Expected>> = {
  id: text,
  agent: text,
  userId: text,
  principal: text,
  role,
  endpoint: text,
  taskId: text,
  iterationId: text,
  toolset: text,
  tools: texts,
  sees: predicate,
  native: texts,
  allowedPaths: texts,
  env: variables,
  interact: object,
  client: object,
  clientInfo: object,
  closedChannels: texts,
};

/** Refuse unknown options and values of the wrong type: a session must not be wider than what was meant. */
export function checkSessionOptions(options: SessionOptions): void {
  checkKeys(options, expectations, "a session");
  for (const [key, value] of Object.entries(options)) {
    const [expected, fits] = expectations[key as keyof SessionOptions];
    if (value === undefined || fits(value)) continue;
    const found = describeValue(value);
    throw new ToolDefinitionError(`The option "${key}" of a session must be ${expected}, found ${found}.`, {
      hint: expected === texts[0] && typeof value === "string" ? `Write [${found}].` : howToCorrect,
    });
  }
}

const howToCorrect = "Pass such a value, or leave the option out.";
