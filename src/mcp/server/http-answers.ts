import { rpcError } from "../wire/json-rpc.js";

/** An HTTP answer that carries a JSON-RPC error. */
export function refuse(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): Response {
  return Response.json(rpcError(id, code, message), { status });
}

/** The same answer, with word of when its body has been read to the end or nobody reads it any more. */
export function whenRead(response: Response, tell: () => void): Response {
  const done = once(tell);
  if (response.body === null) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done: over, value } = await reader.read();
        if (!over) return controller.enqueue(value);
        done();
        controller.close();
      } catch (error) {
        done();
        controller.error(error);
      }
    },
    async cancel(reason) {
      done();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    run();
  };
}
