import { useId, useState } from "react";
import { useText } from "../../i18n/use-text.js";

interface JsonFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Whether the text is not valid JSON yet. */
  readonly onBroken: (broken: boolean) => void;
  readonly rows?: number;
}

/** A value typed in as JSON; empty means that it is not given. */
export function JsonField({ label, value, onChange, onBroken, rows = 3 }: JsonFieldProps) {
  const t = useText();
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const [known, setKnown] = useState(value);
  const [fault, setFault] = useState<string>();
  const id = useId();
  // An example was chosen, or the form next to it changed the value.
  if (value !== known) {
    setKnown(value);
    setText(value === undefined ? "" : JSON.stringify(value, null, 2));
    setFault(undefined);
  }
  const take = (next: string) => {
    setText(next);
    try {
      const parsed: unknown = next.trim() === "" ? undefined : JSON.parse(next);
      setKnown(parsed);
      setFault(undefined);
      onBroken(false);
      onChange(parsed);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      onBroken(true);
    }
  };
  return (
    <div>
      <textarea
        className="field w-full font-mono text-xs aria-invalid:border-bad"
        aria-label={t("tools.json", { name: label })}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : id}
        rows={rows}
        spellCheck={false}
        value={text}
        onChange={(event) => take(event.target.value)}
      />
      {fault !== undefined && (
        <p id={id} className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}
