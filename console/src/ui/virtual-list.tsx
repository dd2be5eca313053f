import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { listHeadHeight } from "./list-head.js";
import { useRowWindow } from "./use-row-window.js";

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** Stays above the rows while they scroll. */
  readonly head?: ReactNode;
  /** New rows come above the others; what is being read stays in its place. */
  readonly growsAtTop?: boolean;
  /** Stable id of the row at this place. */
  readonly idAt: (index: number) => string;
  readonly render: (index: number) => ReactNode;
  readonly selected: string | undefined;
  /** Where the selected row stands, or -1. */
  readonly selectedIndex: number;
  readonly onSelect: (id: string) => void;
  /** Called with the first and the last row in view. */
  readonly onRange?: (first: number, last: number) => void;
  readonly className?: string;
}

/** A list of which only the rows in view exist: ten thousand rows cost no more than thirty. */
export function VirtualList(props: VirtualListProps) {
  const {
    label,
    count,
    rowHeight,
    head,
    growsAtTop = false,
    idAt,
    render,
    selected,
    selectedIndex,
    onSelect,
    onRange,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const base = useId();
  const { first, last, fitting, show } = useRowWindow(box, {
    count,
    rowHeight,
    growsAtTop,
    headHeight: head === undefined ? 0 : listHeadHeight,
  });
  useEffect(() => onRange?.(first, last), [first, last, onRange]);
  // What an address selects may lie far below, and so may a row above which a pane has opened.
  const isListed = selectedIndex >= 0;
  useEffect(() => {
    if (isListed) show(selectedIndex);
  }, [selected, isListed, fitting]);
  const move = (event: KeyboardEvent) => {
    const target = targetOf(event.key, selectedIndex, count);
    if (target === undefined || count === 0) return;
    event.preventDefault();
    onSelect(idAt(target));
    show(target);
  };
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={
        selectedIndex >= first && selectedIndex <= last ? `${base}-${selected}` : undefined
      }
      onKeyDown={move}
      className={`relative min-h-0 overflow-auto ${props.className ?? ""}`}
    >
      {head}
      <div role="presentation" className="relative w-full" style={{ height: count * rowHeight }}>
        {range(first, last).map((index) => {
          const id = idAt(index);
          return (
            <div
              key={id}
              id={`${base}-${id}`}
              role="option"
              aria-selected={id === selected}
              aria-posinset={index + 1}
              aria-setsize={count}
              // At the press already: before the release a new row may have moved this one away.
              onPointerDown={({ button }) => button === 0 && onSelect(id)}
              onClick={() => onSelect(id)}
              style={{ height: rowHeight, transform: `translateY(${index * rowHeight}px)` }}
              className="absolute top-0 left-0 w-full border-b border-line px-3 aria-selected:bg-accent-soft hover:bg-sunk aria-selected:hover:bg-accent-soft"
            >
              {render(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

function targetOf(key: string, at: number, count: number): number | undefined {
  const clamp = (index: number) => Math.max(0, Math.min(count - 1, index));
  if (key === "ArrowDown" || key === "j") return clamp(at + 1);
  if (key === "ArrowUp" || key === "k") return clamp(at - 1);
  if (key === "PageDown") return clamp(at + 20);
  if (key === "PageUp") return clamp(at - 20);
  if (key === "Home") return 0;
  if (key === "End") return clamp(count - 1);
  return undefined;
}
