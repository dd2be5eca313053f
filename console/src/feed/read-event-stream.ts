/** One event of a stream, with what its fields say. */
export interface StreamEvent {
  /** @default "message" */
  readonly event: string;
  readonly data: string;
}

/** Read server-sent events from an answer; an EventSource could not send the page's secret. */
export async function readEventStream(
  body: ReadableStream<Uint8Array>,
  take: (event: StreamEvent) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    // Pieces end anywhere, events with an empty line.
    const blocks = (rest + step.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = toEvent(block);
      if (event !== undefined) take(event);
    }
  }
}

function toEvent(block: string): StreamEvent | undefined {
  let event = "message";
  let data: string | undefined;
  for (const line of block.split("\n")) {
    // A dot alone would stop at U+2028, which JSON leaves as it is.
    const [, field, value = ""] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  return data === undefined ? undefined : { event, data };
}
