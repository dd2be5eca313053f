import type { FieldKind, FormSchema } from "./schema-kind.js";

interface SimpleFieldProps {
  readonly id: string;
  /** Its name where no label stands above it. */
  readonly label: string | undefined;
  readonly kind: FieldKind;
  readonly schema: FormSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly required: boolean;
}

/** A text, a number, yes or no, or a choice. An empty field is a value that is not given. */
export function SimpleField({ id, label, kind, schema, value, onChange, required }: SimpleFieldProps) {
  const preset = schema["default"] === undefined ? "" : showValue(schema["default"]);
  if (kind === "boolean")
    return (
      <Choice
        id={id}
        label={label}
        values={[true, false]}
        preset={preset}
        value={value}
        onChange={onChange}
      />
    );
  if (kind === "choice") {
    const values = "const" in schema ? [schema["const"]] : (schema["enum"] as readonly unknown[]);
    return <Choice id={id} label={label} values={values} preset={preset} value={value} onChange={onChange} />;
  }
  if (kind === "number") {
    return (
      <input
        id={id}
        aria-label={label}
        type="number"
        placeholder={preset}
        className="field w-48"
        step={schema["type"] === "integer" ? 1 : "any"}
        min={asNumber(schema["minimum"])}
        max={asNumber(schema["maximum"])}
        required={required}
        value={typeof value === "number" ? value : ""}
        onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))}
      />
    );
  }
  const text = typeof value === "string" ? value : "";
  // An empty text is a value of its own only where one must be given.
  const take = (next: string) => onChange(next === "" && !required ? undefined : next);
  const common = {
    id,
    "aria-label": label,
    className: "field w-full",
    spellCheck: false,
    value: text,
    placeholder: preset,
  };
  if (kind === "text")
    return (
      <input
        {...common}
        required={required && schema["minLength"] !== undefined}
        onChange={(event) => take(event.target.value)}
      />
    );
  return (
    <textarea
      {...common}
      className="field w-full font-mono text-xs"
      rows={Math.min(12, Math.max(1, text.split("\n").length))}
      required={required && schema["minLength"] !== undefined}
      onChange={(event) => take(event.target.value)}
    />
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string | undefined;
  readonly values: readonly unknown[];
  /** What counts where nothing is chosen. */
  readonly preset: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Choice({ id, label, values, preset, value, onChange }: ChoiceProps) {
  const at = values.findIndex((candidate) => JSON.stringify(candidate) === JSON.stringify(value));
  return (
    <select
      id={id}
      aria-label={label}
      className="field min-w-32"
      value={at}
      onChange={(event) => onChange(values[Number(event.target.value)])}
    >
      <option value={-1}>{preset === "" ? "–" : `(${preset})`}</option>
      {values.map((candidate, index) => (
        <option key={JSON.stringify(candidate)} value={index}>
          {showValue(candidate)}
        </option>
      ))}
    </select>
  );
}

function showValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
