import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { WireMessage } from "../wire/json-rpc.js";
import { StdioTransport } from "./stdio-transport.js";

function open() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StdioTransport({ input, output });
  const said = async (): Promise<unknown[]> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const text = (output.read() as Buffer | null)?.toString() ?? "";
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
  };
  const send = (message: unknown): void => void input.write(`${JSON.stringify(message)}\n`);
  return { transport, output, said, send };
}

const ping = (id: string | number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;

describe("the transport over streams", () => {
  it("answers a batch at once, also where a part of it was answered with ready text", async () => {
    const { transport, said, send } = open();
    const left: WireMessage[] = [];
    transport.intercept = ({ id }) => {
      if (id !== 1) return false;
      transport.sendText(id, '{"jsonrpc":"2.0","id":1,"result":{}}');
      return true;
    };
    Object.assign(transport, { onmessage: (message: WireMessage) => void left.push(message) });
    await transport.start();
    send([ping(1), ping(2)]);
    expect(await said()).toEqual([]);
    expect(left).toEqual([ping(2)]);
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await said()).toMatchObject([[{ id: 1 }, { id: 2 }]]);
    await transport.close();
  });

  it("sends no answer to what it replays, under an id that no host can take", async () => {
    const { transport, said, send } = open();
    Object.assign(transport, {
      onmessage: ({ id }: WireMessage) => void transport.send({ jsonrpc: "2.0", id, result: {} }),
    });
    transport.replay(ping("host"));
    await transport.start();
    send(ping("tenon:replayed"));
    expect(await said()).toMatchObject([{ id: "tenon:replayed" }]);
    await transport.close();
  });

  it("drops reports, never answers, while a host reads nothing", async () => {
    const { transport, output } = open();
    await transport.start();
    const message = "x".repeat(16_000);
    const report = { jsonrpc: "2.0", method: "notifications/progress", params: { message } };
    for (let n = 0; n < 10_000; n++) await transport.send(report);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(output.writableLength).toBeLessThan(8 * 1024 * 1024);
    output.end();
    const lines = await output.reduce((text, chunk) => text + String(chunk), "");
    expect(lines.trimEnd().split("\n").at(-1)).toContain('"id":1');
    await transport.close();
  });
});
