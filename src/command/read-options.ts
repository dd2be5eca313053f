import type { Field } from "./words/field.js";

/** The options that are known of a program. */
export interface OptionSpec {
  /** Letters without a value. */
  readonly flags: ReadonlySet<string>;
  /** Letters with a value. */
  readonly values: ReadonlySet<string>;
  /** Letters whose value, if any, follows without a blank. */
  readonly attached: ReadonlySet<string>;
  /** Long names: without a value, with one, or with one only after `=`. */
  readonly long: ReadonlyMap<string, "none" | "value" | "optional">;
  /** `-5` is an option. */
  readonly number: boolean;
  /** Options end at the first other word. */
  readonly stop: boolean;
  /** Long options begin with one dash, as for `find` or `java`. */
  readonly oneDash: boolean;
}

/** A spec as it is written in the tables: `long` lists `name`, `name=` (with a value), `name=?` (only after `=`). */
export interface WrittenSpec {
  readonly flags?: string;
  readonly values?: string;
  readonly attached?: string;
  readonly long?: string;
  readonly number?: boolean;
  readonly stop?: boolean;
  readonly oneDash?: boolean;
}

export function toSpec({
  flags = "",
  values = "",
  attached = "",
  long = "",
  ...rest
}: WrittenSpec): OptionSpec {
  const names = long.split(" ").filter((name) => name !== "");
  return {
    flags: new Set(flags),
    values: new Set(values),
    attached: new Set(attached),
    long: new Map(
      names.map((name) => {
        const kind = name.endsWith("=?") ? "optional" : name.endsWith("=") ? "value" : "none";
        return [name.replace(/=\??$/, ""), kind] as const;
      }),
    ),
    number: rest.number === true,
    stop: rest.stop === true,
    oneDash: rest.oneDash === true,
  };
}

/** Arguments sorted into options and the rest. */
export interface ReadArguments {
  /** Values by letter or long name; an empty text where an option has none. */
  readonly options: ReadonlyMap<string, readonly Field[]>;
  readonly operands: readonly Field[];
  /** Where the operands begin, with `stop`. */
  readonly start: number;
}

/** Sort arguments by a spec; `undefined` if one of them is an unknown option. */
export function readArguments(args: readonly Field[], spec: OptionSpec): ReadArguments | undefined {
  const options = new Map<string, Field[]>();
  const operands: Field[] = [];
  const add = (name: string, value: Field): void => {
    const list = options.get(name) ?? [];
    list.push(value);
    options.set(name, list);
  };
  let at = 0;
  for (; at < args.length; at++) {
    const field = args[at]!;
    const { text } = field;
    if (text === "--") {
      at++;
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      if (spec.stop) break;
      operands.push(field);
      continue;
    }
    const used = readOption(args, at, spec, add);
    if (used === undefined) return undefined;
    at += used;
  }
  return { options, operands: [...operands, ...args.slice(at)], start: at };
}

type Add = (name: string, value: Field) => void;

/** Take one option; says how many further arguments it used. */
function readOption(args: readonly Field[], at: number, spec: OptionSpec, add: Add): number | undefined {
  const field = args[at]!;
  if (!field.known) return undefined;
  if (field.text.startsWith("--")) return readLong(field, 2, { next: args[at + 1], spec, add });
  if (spec.oneDash && spec.long.has(field.text.slice(1).split("=", 1)[0]!))
    return readLong(field, 1, { next: args[at + 1], spec, add });
  if (spec.number && /^-\d+$/.test(field.text)) {
    add("number", { ...field, text: field.text.slice(1) });
    return 0;
  }
  return readCluster(field, { next: args[at + 1], spec, add });
}

interface OptionContext {
  readonly next: Field | undefined;
  readonly spec: OptionSpec;
  readonly add: Add;
}

function readLong(field: Field, dashes: number, { next, spec, add }: OptionContext): number | undefined {
  const sign = field.text.indexOf("=");
  const name = field.text.slice(dashes, sign < 0 ? undefined : sign);
  const kind = spec.long.get(name);
  if (kind === undefined || (kind === "none" && sign >= 0)) return undefined;
  if (sign >= 0) add(name, { ...field, text: field.text.slice(sign + 1) });
  else if (kind === "value") {
    if (next === undefined) return undefined;
    add(name, next);
    return 1;
  } else add(name, { ...field, text: "" });
  return 0;
}

function readCluster(field: Field, { next, spec, add }: OptionContext): number | undefined {
  const letters = field.text.slice(1);
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at]!;
    if (spec.flags.has(letter)) add(letter, { ...field, text: "" });
    else if (spec.attached.has(letter)) {
      add(letter, { ...field, text: letters.slice(at + 1) });
      return 0;
    } else if (spec.values.has(letter)) {
      const rest = letters.slice(at + 1);
      if (rest === "" && next === undefined) return undefined;
      add(letter, rest === "" ? next! : { ...field, text: rest });
      return rest === "" ? 1 : 0;
    } else return undefined;
  }
  return 0;
}
