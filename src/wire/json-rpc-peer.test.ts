import { describe, expect, it } from "vitest";
import { JsonRpcPeer, RequestError, type PeerOptions } from "./json-rpc-peer.js";

/** Two peers that read what the other writes, and everything that was written. */
function connect(left: Partial<PeerOptions> = {}, right: Partial<PeerOptions> = {}) {
  const lines: string[] = [];
  const make = (options: Partial<PeerOptions>, other: () => JsonRpcPeer): JsonRpcPeer =>
    new JsonRpcPeer({
      write: (text) => {
        lines.push(text);
        setImmediate(() => other().receiveLine(text));
      },
      onRequest: () => ({}),
      maxBytes: 1000,
      ...options,
    });
  const one: JsonRpcPeer = make(left, () => two);
  const two: JsonRpcPeer = make({ idPrefix: "b", ...right }, () => one);
  return { one, two, lines };
}

describe("a JSON-RPC peer", () => {
  it("sends and answers requests in both directions at once, whatever their order", async () => {
    const double: PeerOptions["onRequest"] = async (_method, { n }) => {
      await new Promise((resolve) => setTimeout(resolve, 20 - Number(n)));
      return { n: Number(n) * 2 };
    };
    const { one, two } = connect({ onRequest: double }, { onRequest: double });
    const numbers = Array.from({ length: 10 }, (_, n) => n);
    const answers = await Promise.all(
      numbers.flatMap((n) => [one.request("double", { n }), two.request("double", { n: n + 10 })]),
    );
    expect(answers).toEqual(numbers.flatMap((n) => [{ n: 2 * n }, { n: 2 * (n + 10) }]));
  });

  it("answers with the code and message of an error, and with -32603 for any other", async () => {
    const { one } = connect(
      {},
      {
        onRequest: (method) => {
          throw method === "a" ? new RequestError(-32601, "unknown") : new Error("broken");
        },
      },
    );
    await expect(one.request("a", {})).rejects.toMatchObject({ code: -32601, message: "unknown" });
    await expect(one.request("b", {})).rejects.toMatchObject({ code: -32603, message: "broken" });
  });

  it("aborts a request on the other side, and rejects with the reason", async () => {
    const seen: boolean[] = [];
    const { one } = connect(
      {},
      {
        onRequest: (_method, _params, signal) =>
          new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              seen.push(signal.aborted);
              resolve({ late: true });
            }),
          ),
      },
    );
    const stop = new AbortController();
    const request = one.request("wait", {}, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort(new Error("enough"));
    await expect(request).rejects.toThrow("enough");
    await expect.poll(() => seen).toEqual([true]);
    await expect(one.request("wait", {}, stop.signal)).rejects.toThrow("enough");
  });

  it("refuses to send more than its limit: requests reject, answers become errors, notifications are dropped", async () => {
    const long = "é".repeat(600);
    const { one, two, lines } = connect({}, { onRequest: () => ({ long }) });
    await expect(one.request("a", { long })).rejects.toThrow(/request has 12\d\d bytes, more than the 1000/);
    expect(lines).toEqual([]);
    await expect(one.request("a", {})).rejects.toThrow(/answer has 12\d\d bytes, more than the 1000/);
    expect(two.notify("a", { long })).toBe(false);
    expect(two.notify("a", {})).toBe(true);
  });

  it("fails what is open when it is closed or cannot write, and answers a line that is not JSON", async () => {
    const { one, lines } = connect({}, { onRequest: () => new Promise(() => {}) });
    const open = one.request("a", {});
    one.close(new Error("gone"));
    await expect(open).rejects.toThrow("gone");
    await expect(one.request("a", {})).rejects.toThrow("gone");
    const { one: broken, two } = connect({
      write: () => {
        throw new Error("full");
      },
    });
    await expect(broken.request("a", {})).rejects.toThrow("full");
    two.receiveLine("{");
    const { one: fresh, lines: written } = connect();
    fresh.receiveLine("nonsense");
    expect(written).toEqual(['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON"}}']);
    expect(lines).toHaveLength(1);
  });
});
