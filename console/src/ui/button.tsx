import type { ButtonHTMLAttributes, ReactNode } from "react";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: "plain" | "main" | "danger" | "quiet";
}

const looks = {
  plain: "border-line bg-panel text-ink hover:bg-sunk",
  main: "border-accent bg-accent text-on-accent hover:brightness-110",
  danger: "border-bad bg-panel text-bad hover:bg-bad-soft",
  quiet: "border-transparent text-muted hover:bg-sunk hover:text-ink",
};

const shape =
  "inline-flex min-h-7 items-center gap-1.5 rounded border px-2.5 text-xs font-medium whitespace-nowrap";

/** A button in one of the few looks there are. */
export function Button({ look = "plain", className = "", ...rest }: ButtonProps) {
  return (
    <button type="button" className={`${shape} disabled:opacity-60 ${looks[look]} ${className}`} {...rest} />
  );
}

/** A link that looks like a button: it leads to an address. */
export function LinkButton({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} className={`${shape} ${looks.plain}`}>
      {children}
    </a>
  );
}
