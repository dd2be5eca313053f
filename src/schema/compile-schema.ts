import { ToolDefinitionError } from "../contract/errors.js";
import type { SchemaSource } from "../contract/schema-source.js";
import type { Checked, Validator } from "./checked.js";
import { describeThrown } from "./describe-alien.js";
import { describeFaults } from "./describe-faults.js";
import type { Source } from "./fault.js";
import { fromJsonSchema } from "./json-schema.js";
import { deepFreeze } from "./json-value.js";
import { once } from "./once.js";
import { fromParameters } from "./parameters.js";
import { refuseSchema } from "./refuse-schema.js";
import { unstringify } from "./unstringify.js";
import { fromZod, isZodLike } from "./zod-schema.js";

export type { ArgumentIssue, Checked, Validator } from "./checked.js";

/**
 * Make one validator and one JSON Schema out of a Zod schema, a JSON Schema or a list of parameters.
 * What is plainly wrong is refused here with a ToolDefinitionError; the costly part waits for the
 * first use, so that a thousand tools can be registered in a moment.
 *
 * @example
 * const { check } = compileSchema([{ name: "path", type: "string", required: true }]);
 * check({ pth: "a" }); // not ok: "path" is required, unknown "pth"
 */
export function compileSchema(source: SchemaSource, role: "input" | "output" = "input"): Validator {
  const ready = readSource(source, role);
  const schema = once(() => deepFreeze(ready.jsonSchema()));
  return {
    get jsonSchema() {
      return schema();
    },
    check: role === "input" ? (value) => checkInput(ready, value) : (value) => checkOutput(ready, value),
  };
}

function readSource(source: SchemaSource, role: "input" | "output"): Source {
  try {
    return toSource(source, role);
  } catch (error) {
    if (error instanceof ToolDefinitionError) throw error;
    // A proxy or a counterfeit schema that throws when it is looked at.
    return refuseSchema(`The schema cannot be read: ${describeThrown(error)}.`, error);
  }
}

function toSource(source: SchemaSource, role: "input" | "output"): Source {
  if (Array.isArray(source)) return fromParameters(source, role);
  if ((typeof source !== "object" && typeof source !== "function") || source === null) {
    return refuseSchema(
      `A schema must be a Zod schema, a JSON Schema or a list of parameters, not ${String(source)}.`,
    );
  }
  return isZodLike(source) ? fromZod(source, role) : fromJsonSchema(source, role);
}

function checkOutput(source: Source, value: unknown): Checked {
  const outcome = source.run(value);
  if (outcome.ok) return outcome;
  return { ok: false, issues: outcome.issues ?? describeFaults(outcome.faults, value, "The result") };
}

/** Rounds of reading JSON out of strings: the arguments as a whole, then what is inside them. */
const maxRounds = 3;

function checkInput(source: Source, given: unknown): Checked {
  let value: unknown = given === undefined ? {} : given;
  let outcome = source.run(value);
  for (let round = 0; !outcome.ok && round < maxRounds; round++) {
    const repaired = unstringify(value, outcome.faults);
    if (repaired === undefined) break;
    value = repaired.value;
    outcome = source.run(value);
  }
  if (outcome.ok) return outcome;
  return { ok: false, issues: outcome.issues ?? describeFaults(outcome.faults, value, "The arguments") };
}
