import type { TraceSpan } from "../../api/types.js";

/** A call in its place in the tree. */
export interface TreeRow {
  readonly span: TraceSpan;
  readonly depth: number;
  /** Calls right below it. */
  readonly children: number;
}

/**
 * The calls in the order of the tree, each below the one that made it. Without recursion, since calls may be nested
 * ten thousand deep.
 * @param closed Calls whose branches are not shown.
 */
export function buildTree(spans: readonly TraceSpan[], closed: ReadonlySet<string>): readonly TreeRow[] {
  const known = new Set(spans.map(({ callId }) => callId));
  const children = new Map<string, TraceSpan[]>();
  const roots: TraceSpan[] = [];
  for (const span of spans) {
    const { parentCallId } = span;
    const list =
      parentCallId === undefined || parentCallId === span.callId || !known.has(parentCallId)
        ? roots
        : (children.get(parentCallId) ?? []);
    if (list !== roots) children.set(parentCallId as string, list);
    list.push(span);
  }
  const rows: TreeRow[] = [];
  const placed = new Set<string>();
  const stack = roots.toReversed().map((span) => ({ span, depth: 0 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { span, depth } = next;
    if (placed.has(span.callId)) continue;
    placed.add(span.callId);
    const below = children.get(span.callId) ?? [];
    rows.push({ span, depth, children: below.length });
    if (closed.has(span.callId)) continue;
    for (const child of below.toReversed()) stack.push({ span: child, depth: depth + 1 });
  }
  return rows;
}

/** Calls that match, with those that they lie in, so that each keeps its place. */
export function matchingSpans(
  spans: readonly TraceSpan[],
  fits: (span: TraceSpan) => boolean,
): readonly TraceSpan[] {
  const byId = new Map(spans.map((span) => [span.callId, span]));
  const kept = new Set<string>();
  for (const span of spans) {
    if (!fits(span)) continue;
    for (let at: TraceSpan | undefined = span; at !== undefined && !kept.has(at.callId);) {
      kept.add(at.callId);
      at = at.parentCallId === undefined ? undefined : byId.get(at.parentCallId);
    }
  }
  return spans.filter(({ callId }) => kept.has(callId));
}
