import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { WireMessage } from "../../wire/json-rpc.js";
import { StdioDispatch } from "./stdio-dispatch.js";
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

describe("the stdio transport", () => {
  it("answers a batch at once, even where a part of it was answered with ready text", async () => {
    const { transport, said, send } = open();
    const left: WireMessage[] = [];
    transport.onMessage = (message) => {
      if (message.id !== 1) left.push(message);
      else transport.sendText(1, '{"jsonrpc":"2.0","id":1,"result":{}}');
    };
    transport.open();
    send([ping(1), ping(2)]);
    expect(await said()).toEqual([]);
    expect(left).toEqual([ping(2)]);
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await said()).toMatchObject([[{ id: 1 }, { id: 2 }]]);
    transport.close();
  });

  it("sends each answer whole to a host that reads late, though answers share their bytes", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const host = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [output] = (await once(server, "connection")) as [Socket];
    const transport = new StdioTransport({ input: new PassThrough(), output });
    const sent: string[] = [];
    for (let id = 0; id < 600; id++) {
      const text = `${id} ä€ `.repeat(1 + ((id * 977) % 4000));
      sent.push(text);
      transport.sendText(id, JSON.stringify({ id, text }));
      if (id % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    transport.close();
    output.end();
    const read = (await host.setEncoding("utf8").toArray()) as string[];
    const lines = read.join("").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(sent);
    server.close();
  });

  it("drops reports, never answers, while a host reads nothing", async () => {
    const { transport, output } = open();
    const message = "x".repeat(16_000);
    const report = { jsonrpc: "2.0", method: "notifications/progress", params: { message } } as const;
    for (let n = 0; n < 10_000; n++) await transport.send(report);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(output.writableLength).toBeLessThan(8 * 1024 * 1024);
    output.end();
    const lines = await output.reduce((text, chunk) => text + String(chunk), "");
    expect(lines.trimEnd().split("\n").at(-1)).toContain('"id":1');
    transport.close();
  });
});

describe("the stdio dispatch", () => {
  it("sends no answer to a message that was answered before, under an id that no host can use", async () => {
    const { transport, said, send } = open();
    const dispatch = new StdioDispatch(transport);
    Object.assign(dispatch, {
      onmessage: ({ id }: WireMessage) => void dispatch.send({ jsonrpc: "2.0", id, result: {} }),
    });
    dispatch.replay(ping("host"));
    await dispatch.start();
    send(ping("tenon:replayed"));
    await expect.poll(said).toMatchObject([{ id: "tenon:replayed" }]);
    transport.close();
  });

  it("asks the handler of a method first, then the SDK, and keeps what comes before the SDK is there", async () => {
    const { transport, send } = open();
    const dispatch = new StdioDispatch(transport);
    const [handled, delivered]: [unknown[], unknown[]] = [[], []];
    let waited = 0;
    dispatch.onWaiting = () => void waited++;
    dispatch.handlers.calls = ({ id }) => id !== 3 && handled.push(id) > 0;
    Object.assign(dispatch, { onmessage: ({ id }: WireMessage) => void delivered.push(id) });
    transport.open();
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call" });
    for (const message of [call(1), ping(2), call(3), { ...ping(4), method: "__proto__" }]) send(message);
    await expect.poll(() => waited).toBe(3);
    expect({ handled, delivered }).toEqual({ handled: [1], delivered: [] });
    await dispatch.start();
    send(ping(5));
    await expect.poll(() => delivered).toEqual([2, 3, 4, 5]);
    expect(waited).toBe(3);
    transport.close();
  });
});
