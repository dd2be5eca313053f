import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;
afterEach(() => at.close());

/** Send bytes, and wait until the server hangs up or the text has come. */
async function exchange(bytes: string, isWhole: (text: string) => boolean): Promise<string> {
  const socket = connect(at.server.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (isWhole(text)) socket.destroy();
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

const untilClosed = (): boolean => false;

function post(message: object, { version = "1.1", headers = "" } = {}): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return [
    `POST /mcp HTTP/${version}`,
    `host: 127.0.0.1:${at.server.port}`,
    `authorization: Bearer ${at.server.mcpToken}`,
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `content-length: ${Buffer.byteLength(body)}${headers}`,
    "",
    body,
  ].join("\r\n");
}

const clientInfo = { name: "raw", version: "1" };
const greeting = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const call = (id: number, text: string): object => ({
  id,
  method: "tools/call",
  params: { name: "base64_encode", arguments: { text } },
});

async function openSession(): Promise<string> {
  const opened = await exchange(post(greeting, { headers: "\r\nconnection: close" }), untilClosed);
  const session = /mcp-session-id: (\S+)/.exec(opened)?.[1];
  return `\r\nmcp-session-id: ${session}\r\nmcp-protocol-version: 2025-11-25`;
}

describe("MCP over a bare connection", () => {
  it.each([
    ["1.1", "\r\nconnection: close"],
    ["1.0", ""],
  ])(
    "ends the connection after the answer where the host asks for that, in HTTP/%s",
    async (version, connection) => {
      at = await openTestServer();
      const headers = await openSession();
      const direct = await exchange(
        post(call(1, "hi"), { version, headers: headers + connection }),
        untilClosed,
      );
      expect(direct).toMatch(/\r\nconnection: close\r\n/i);
      expect(direct).toContain("aGk=");
      const bySdk = await exchange(
        post({ id: 2, method: "tools/list" }, { version, headers: headers + connection }),
        untilClosed,
      );
      expect(bySdk).toMatch(/\r\nconnection: close\r\n/i);
      expect(bySdk).toContain('"tools"');
    },
  );

  it("answers requests that come in one piece, each by its own id and in their order", async () => {
    at = await openTestServer();
    const headers = await openSession();
    const texts = ["a", "bb", "ccc", "dddd"];
    const requests = texts.map((text, id) => post(call(id, text), { headers }));
    const encoded = texts.map((text) => Buffer.from(text).toString("base64"));
    const answers = await exchange(
      requests.join(""),
      (text) => text.split("HTTP/1.1 200").length > 4 && text.endsWith("\n\n"),
    );
    const found = [...answers.matchAll(/"id":(\d+),"result".*?"text":"([^"]*)"/g)].map(([, id, text]) => [
      id,
      text,
    ]);
    expect(found).toEqual(encoded.map((text, id) => [String(id), text]));
  });

  it("reads a body in chunks, and nothing of its trailers", async () => {
    at = await openTestServer();
    const headers = `${await openSession()}\r\nconnection: close`;
    const [head = "", body = ""] = post(call(1, "hi"), { headers }).split("\r\n\r\n");
    const chunks = [body.slice(0, 9), body.slice(9)].map(
      (text) => `${text.length.toString(16)}\r\n${text}\r\n`,
    );
    const request = `${head.replace(/content-length: \d+/, "transfer-encoding: chunked")}\r\n\r\n${chunks.join("")}0\r\nauthorization: Bearer wrong\r\n\r\n`;
    expect(await exchange(request, untilClosed)).toContain("aGk=");
  });
});
