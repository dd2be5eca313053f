import { createContext, type ReactNode, use, useCallback, useEffect, useId, useState } from "react";

type ReportFold = (id: string, folded: boolean) => void;

const FoldContext = createContext<ReportFold>(() => undefined);

/** Whether anything below a {@link FoldGate} is folded: nobody can consent to what they did not open. */
export function useFolds(): { readonly folded: boolean; readonly report: ReportFold } {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const report = useCallback<ReportFold>((id, folded) => {
    setOpen((before) => {
      if (before.has(id) === folded) return before;
      const after = new Set(before);
      if (folded) after.add(id);
      else after.delete(id);
      return after;
    });
  }, []);
  return { folded: open.size > 0, report };
}

/** Collects what is folded below it. */
export function FoldGate({
  report,
  children,
}: {
  readonly report: ReportFold;
  readonly children: ReactNode;
}) {
  return <FoldContext value={report}>{children}</FoldContext>;
}

/** Tell the gate above, where there is one, whether this part of the page shows all it has. */
export function useReportFold(folded: boolean): void {
  const id = useId();
  const report = use(FoldContext);
  useEffect(() => {
    report(id, folded);
    return () => report(id, false);
  }, [id, folded, report]);
}
