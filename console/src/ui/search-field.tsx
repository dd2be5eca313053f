interface SearchFieldProps {
  /** Its name, and what stands in it while it is empty. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

/** The search of a page; the key `/` goes to it. */
export function SearchField({ label, value, onChange, className = "w-full sm:w-72" }: SearchFieldProps) {
  return (
    <input
      type="search"
      className={`field ${className}`}
      data-search
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
