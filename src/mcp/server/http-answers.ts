import { rpcError } from "../../wire/json-rpc.js";

/** An HTTP answer that carries a JSON-RPC error. */
export function refuse(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): Response {
  return Response.json(rpcError(id, code, message), { status });
}

/** There is no room now, and when it is worth to try again. */
export function overloaded(message: string): Response {
  const answer = refuse(503, -32000, message);
  answer.headers.set("retry-after", "5");
  return answer;
}

/** There is no room for another host. */
export function full(): Response {
  return overloaded("Too many hosts are connected. Try again later.");
}
