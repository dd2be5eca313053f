import { isRecord } from "../contract/is-record.js";
import { ToolDefinitionError } from "../contract/errors.js";
import type { ToolParameter } from "../contract/schema-source.js";
import type { Fault, Outcome, Source } from "./fault.js";
import { copyLimits, takePlain } from "./take-plain.js";
import { admits, sameJson } from "./json-value.js";

/** Make the plain list form ready: small enough to check by hand, without a schema compiler. */
export function fromParameters(list: readonly unknown[], role: "input" | "output"): Source {
  const parameters = new Map<string, ToolParameter>();
  for (const entry of list) {
    const parameter = takeParameter(entry, parameters.size);
    if (parameters.has(parameter.name)) refuse(`The parameter "${parameter.name}" is defined twice.`);
    parameters.set(parameter.name, parameter);
  }
  const closed = role === "input";
  return {
    jsonSchema: () => toJsonSchema([...parameters.values()], closed),
    run: (value) => check(value, parameters, closed),
  };
}

const types = ["string", "number", "integer", "boolean", "object", "array"] as const;

/** Copy one entry and hold it against the rules, so that a later change of the list changes nothing. */
function takeParameter(entry: unknown, index: number): ToolParameter {
  const taken = takePlain(entry);
  if (!taken.ok) refuse(`Parameter ${index + 1} is not plain data: ${taken.issues[0]?.message}.`);
  const {
    name,
    type,
    description,
    required,
    enum: values,
    default: preset,
  } = Object(taken.value) as {
    [K in keyof ToolParameter]: unknown;
  };
  if (typeof name !== "string" || name.trim() === "") refuse(`Parameter ${index + 1} has no name.`);
  if (name === "__proto__") refuse('A parameter cannot be called "__proto__".');
  const known = types.find((word) => word === type);
  if (known === undefined) {
    refuse(
      `The parameter "${name}" has the type ${JSON.stringify(type)}; it must be one of ${types.join(", ")}.`,
    );
  }
  if (description !== undefined && typeof description !== "string") {
    refuse(`The description of the parameter "${name}" must be a string.`);
  }
  if (required !== undefined && typeof required !== "boolean") {
    refuse(`"required" of the parameter "${name}" must be true or false.`);
  }
  if (values !== undefined && (!Array.isArray(values) || values.length === 0)) {
    refuse(`"enum" of the parameter "${name}" must be a list with at least one value.`);
  }
  const parameter: ToolParameter = {
    name,
    type: known,
    ...(description === undefined ? {} : { description }),
    ...(required === undefined ? {} : { required }),
    ...(values === undefined ? {} : { enum: values as unknown[] }),
    ...(preset === undefined ? {} : { default: preset }),
  };
  checkValues(parameter);
  return parameter;
}

function checkValues(parameter: ToolParameter): void {
  const { name, type, enum: values, default: preset } = parameter;
  const wrong = values?.find((value) => !admits(type, value));
  if (wrong !== undefined) {
    refuse(`"enum" of the parameter "${name}" contains ${JSON.stringify(wrong)}, which is not a ${type}.`);
  }
  if (preset === undefined || checkOne(parameter, preset) === undefined) return;
  refuse(`The default of the parameter "${name}" is not a ${type} that the parameter allows.`);
}

function refuse(message: string): never {
  throw new ToolDefinitionError(message, {
    code: "SCHEMA_INVALID",
    hint: "A parameter is { name, type, description?, required?, enum?, default? } with a name of its own.",
  });
}

function toJsonSchema(
  parameters: readonly ToolParameter[],
  closed: boolean,
): Readonly<Record<string, unknown>> {
  const properties = parameters.map(({ name, type, description, enum: values, default: preset }) => [
    name,
    {
      type,
      ...(description === undefined ? {} : { description }),
      ...(values === undefined ? {} : { enum: values }),
      ...(preset === undefined ? {} : { default: preset }),
    },
  ]);
  const required = parameters.filter(isRequired).map((parameter) => parameter.name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

/** One with a default is never missing. */
function isRequired(parameter: ToolParameter): boolean {
  return parameter.required === true && parameter.default === undefined;
}

function check(value: unknown, parameters: ReadonlyMap<string, ToolParameter>, closed: boolean): Outcome {
  const taken = takePlain(value, copyLimits);
  if (!taken.ok) return { ok: false, faults: [], issues: taken.issues };
  if (!isRecord(taken.value))
    return { ok: false, faults: [{ path: [], kind: "type", expected: ["object"] }] };
  const copy = taken.value;
  const faults: Fault[] = [];
  for (const parameter of parameters.values()) {
    const fault = checkMember(copy, parameter);
    if (fault !== undefined) faults.push(fault);
  }
  for (const key of closed ? Object.keys(copy) : []) {
    if (!parameters.has(key)) faults.push({ path: [key], kind: "unknown", known: [...parameters.keys()] });
  }
  return faults.length === 0 ? { ok: true, value: copy } : { ok: false, faults };
}

function checkMember(copy: Record<string, unknown>, parameter: ToolParameter): Fault | undefined {
  if (Object.hasOwn(copy, parameter.name)) return checkOne(parameter, copy[parameter.name]);
  if (parameter.default !== undefined) {
    copy[parameter.name] = structuredClone(parameter.default);
    return undefined;
  }
  if (!isRequired(parameter)) return undefined;
  return { path: [parameter.name], kind: "missing", expected: allowed(parameter) };
}

function checkOne(parameter: ToolParameter, value: unknown): Fault | undefined {
  const { name, type, enum: values } = parameter;
  if (values === undefined) {
    return admits(type, value) ? undefined : { path: [name], kind: "type", expected: [type] };
  }
  if (values.some((one) => sameJson(one, value))) return undefined;
  return { path: [name], kind: "value", expected: allowed(parameter) };
}

function allowed({ type, enum: values }: ToolParameter): readonly string[] {
  return values === undefined ? [type] : values.map((value) => JSON.stringify(value));
}
