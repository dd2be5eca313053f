import type { ReactNode } from "react";

interface PanelProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
}

/** A titled part of a page. */
export function Panel({ title, children, actions, className = "" }: PanelProps) {
  return (
    <section aria-label={title} className={`rounded-md border border-line bg-panel ${className}`}>
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-1 max-sm:py-2">
        <h2 className="text-xs font-semibold">{title}</h2>
        {actions}
      </header>
      <div className="p-3">{children}</div>
    </section>
  );
}

interface FoldedPanelProps extends PanelProps {
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly "data-server"?: string;
}

/** A part of a page whose content is there once somebody opens it. */
export function FoldedPanel({ title, children, actions, isOpen, onOpen, ...rest }: FoldedPanelProps) {
  return (
    <section
      aria-label={title}
      data-server={rest["data-server"]}
      className="rounded-md border border-line bg-panel"
    >
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-2 px-3 py-1 max-sm:py-2">
        <h2 className="min-w-0 text-xs font-semibold">
          <button
            type="button"
            aria-expanded={isOpen}
            className="text-left wrap-anywhere"
            onClick={() => onOpen(!isOpen)}
          >
            <span aria-hidden="true">{isOpen ? "▾ " : "▸ "}</span>
            {title}
          </button>
        </h2>
        {actions}
      </header>
      {isOpen && <div className="border-t border-line p-3">{children}</div>}
    </section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
  /** What can be done with its content, such as copying it. */
  readonly actions?: ReactNode;
}

/** A small heading with what belongs to it. */
export function Section({ title, children, actions }: SectionProps) {
  return (
    <section className="mt-3 first:mt-0">
      <header className="mb-1 flex items-center justify-between gap-2">
        <h3 className="text-[11px] font-semibold tracking-wide text-muted uppercase">{title}</h3>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** What stands where nothing is to be shown. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="p-6 text-center text-muted">{children}</p>;
}

/** Names with their values, side by side. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name, value]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
