import { type RefObject, useLayoutEffect, useRef, useState } from "react";

interface RowOptions {
  readonly count: number;
  readonly rowHeight: number;
  readonly growsAtTop: boolean;
  /** What stands above the rows and hides those that scroll below it. @default 0 */
  readonly headHeight?: number;
}

interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** How many rows fit into view. */
  readonly fitting: number;
  /** Scroll so that a row can be seen. */
  readonly show: (index: number) => void;
}

const spare = 6;

/**
 * Which rows of a long list are in view. All rows are equally high, so it is a division, however many there are:
 * a general virtual list would measure all ten thousand again for each call that comes.
 */
export function useRowWindow(
  box: RefObject<HTMLElement | null>,
  { count, rowHeight, growsAtTop, headHeight = 0 }: RowOptions,
): RowWindow {
  const [view, setView] = useState({ top: 0, rows: 30 });
  const before = useRef(count);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const rows = Math.ceil(element.clientHeight / rowHeight);
      setView((known) => (known.top === top && known.rows === rows ? known : { top, rows }));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box, rowHeight]);
  useLayoutEffect(() => {
    const added = count - before.current;
    before.current = count;
    const element = box.current;
    if (element === null || !growsAtTop || added <= 0 || element.scrollTop < rowHeight) return;
    element.scrollTop += added * rowHeight;
  }, [box, count, rowHeight, growsAtTop]);
  const show = (index: number) => {
    const element = box.current;
    if (element === null) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight - headHeight)
      element.scrollTop = top + rowHeight - element.clientHeight + headHeight;
  };
  return {
    first: Math.max(0, view.top - spare),
    last: Math.min(count - 1, view.top + view.rows + spare),
    fitting: view.rows,
    show,
  };
}
