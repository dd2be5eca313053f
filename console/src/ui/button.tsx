import type { ButtonHTMLAttributes, ReactNode } from "react";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: "plain" | "main" | "danger" | "quiet";
  /** As high as the line of text that it stands in. */
  readonly small?: boolean;
}

const looks = {
  plain: "border-line bg-panel text-ink hover:bg-sunk",
  main: "border-accent bg-accent text-on-accent hover:brightness-110",
  danger: "border-bad bg-panel text-bad hover:bg-bad-soft",
  quiet: "border-transparent text-muted hover:bg-sunk hover:text-ink",
};

const shape =
  "inline-flex items-center justify-center gap-1.5 rounded border text-xs font-medium whitespace-nowrap";
const usual = "min-h-7 px-2.5";
const tight = "px-1.5";

/** A button in one of the few looks there are. */
export function Button({ look = "plain", small = false, className = "", ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={`${shape} ${small ? tight : usual} disabled:opacity-60 ${looks[look]} ${className}`}
      {...rest}
    />
  );
}

interface LinkButtonProps extends Pick<ButtonProps, "look"> {
  readonly href: string;
  readonly children: ReactNode;
}

/** A link that looks like a button: it leads to an address. */
export function LinkButton({ href, children, look = "plain" }: LinkButtonProps) {
  return (
    <a href={href} className={`${shape} ${usual} ${looks[look]}`}>
      {children}
    </a>
  );
}
