/** One page of a list, and where the next one starts. */
export interface Page<T> {
  readonly page: readonly T[];
  readonly nextCursor?: string | undefined;
}

/** Cut a list into pages; a cursor that this server did not give is refused. */
export function paginate<T>(list: readonly T[], cursor: string | undefined, size = 1000): Page<T> {
  const start = cursor === undefined ? 0 : fromCursor(cursor);
  const page = start === 0 && list.length <= size ? list : list.slice(start, start + size);
  const next = start + size;
  return next < list.length ? { page, nextCursor: toCursor(next) } : { page };
}

function toCursor(start: number): string {
  return Buffer.from(`after:${start}`).toString("base64url");
}

function fromCursor(cursor: string): number {
  const start = /^after:(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (start !== undefined) return Number(start);
  throw Object.assign(new Error("Unknown cursor. Start the list again without it."), {
    code: -32602,
  });
}
