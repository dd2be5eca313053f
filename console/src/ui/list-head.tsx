import type { ReactNode } from "react";

/** In pixels, as its class has it. */
export const listHeadHeight = 28;

/** The names of the columns above a list of rows; a row says them itself to those who do not see it. */
export function ListHead({ children }: { readonly children: ReactNode }) {
  return (
    <div
      aria-hidden="true"
      className="sticky top-0 z-10 hidden h-7 items-center gap-3 border-b border-line bg-sunk px-3 text-[11px] font-medium whitespace-nowrap text-muted sm:flex"
    >
      {children}
    </div>
  );
}
