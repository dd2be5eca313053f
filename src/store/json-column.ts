import { ToolValidationError } from "../contract/errors.js";
import { corruptError } from "./state-error.js";

/** JSON for a column of a table; throws an error with the name for anything else. */
export function toColumn(value: unknown, name: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw notJson(name, error);
  }
  if (text === undefined) throw notJson(name);
  return text;
}

/** Read a column; invalid JSON means that the state is damaged. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only Tenon writes these columns
export function parseColumn<Value>(text: string, name: string, file: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    throw corruptError(file, `${name} is not readable`, error);
  }
}

function notJson(name: string, cause?: unknown): ToolValidationError {
  return new ToolValidationError(`${name} cannot be stored: it is not JSON data.`, {
    code: "VALUE_INVALID",
    hint: "Store only plain objects, arrays, strings, numbers, booleans and null.",
    ...(cause === undefined ? {} : { cause }),
  });
}
