import type { InputHTMLAttributes } from "react";

interface FormFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A labelled line to type in. */
export function FormField({ label, onChange, ...rest }: FormFieldProps) {
  return (
    <label className="flex flex-col gap-0.5 text-xs">
      {label}
      <input
        className="field font-mono"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
    </label>
  );
}

interface FormChoiceProps {
  readonly label: string;
  readonly value: string;
  /** Values with their names. */
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}

/** A labelled list to choose from. */
export function FormChoice({ label, value, options, onChange }: FormChoiceProps) {
  return (
    <label className="flex flex-col gap-0.5 text-xs">
      {label}
      <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
