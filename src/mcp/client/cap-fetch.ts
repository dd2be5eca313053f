/** A fetch whose answers end with a fault where one message in them is longer than `limit`. */
export function capFetch(send: typeof fetch, limit: number): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const events = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const body = response.body.pipeThrough(createCap(limit, events));
    const capped = new Response(body, response);
    Object.defineProperty(capped, "url", { value: response.url });
    return capped;
  };
}

/** In a stream of events each event has the limit for itself: a blank line ends one. */
function createCap(limit: number, events: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let last = 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (!events) bytes += chunk.length;
      else {
        for (const byte of chunk) {
          if (byte === 0x0d) continue;
          bytes = byte === 0x0a && last === 0x0a ? 0 : bytes + 1;
          last = byte;
        }
      }
      if (bytes > limit) {
        controller.error(
          new Error(`the server sent a message of more than the ${limit} bytes that are allowed`),
        );
        return;
      }
      controller.enqueue(chunk);
    },
  });
}
