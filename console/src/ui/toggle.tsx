import { Switch } from "radix-ui";

interface ToggleProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** Something that is on or off. */
export function Toggle({ label, checked, onChange, disabled = false }: ToggleProps) {
  return (
    <label className="inline-flex items-center gap-2 text-xs">
      <Switch.Root
        aria-label={label}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="relative h-4.5 w-8 rounded-full border border-muted bg-sunk data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <Switch.Thumb className="block size-3 translate-x-0.5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
      </Switch.Root>
      <span aria-hidden="true">{label}</span>
    </label>
  );
}
