import type { AuditRecord } from "../contract/ports/audit.js";

type Format = "jsonl" | "csv";

const columns: readonly (readonly [string, (record: AuditRecord) => unknown])[] = [
  ["seq", ({ seq }) => seq],
  ["time", ({ time }) => new Date(time).toISOString()],
  ["tool", ({ tool }) => tool],
  ["outcome", ({ outcome }) => outcome],
  ["durationMs", ({ durationMs }) => durationMs],
  ["waitedForPersonMs", ({ waitedForPersonMs, approval }) => waitedForPersonMs ?? approval?.waitedMs],
  ["agent", ({ agent }) => agent],
  ["userId", ({ userId }) => userId],
  ["sessionId", ({ sessionId }) => sessionId],
  ["taskId", ({ taskId }) => taskId],
  ["callId", ({ callId }) => callId],
  ["parentCallId", ({ parentCallId }) => parentCallId],
  ["errorCode", ({ error }) => error?.code],
  ["errorMessage", ({ error }) => error?.message],
  ["arguments", ({ arguments: args }) => JSON.stringify(args)],
];

/** The records of an export as a stream, one a line; read only as fast as it is taken. */
export function exportLog(lines: AsyncIterable<string>, format: Format): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = format === "jsonl" ? lines : toCsv(lines);
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece: string[] = [];
      while (piece.length < 500) {
        const step = await iterator.next();
        if (step.done === true) {
          if (piece.length > 0) controller.enqueue(encoder.encode(`${piece.join("\n")}\n`));
          controller.close();
          return;
        }
        piece.push(step.value);
      }
      controller.enqueue(encoder.encode(`${piece.join("\n")}\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function* toCsv(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield columns.map(([name]) => name).join(",");
  for await (const line of lines) {
    const record = JSON.parse(line) as AuditRecord;
    yield columns.map(([, read]) => toCell(read(record))).join(",");
  }
}

/** A spreadsheet would run a text that begins like a formula. */
export function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
