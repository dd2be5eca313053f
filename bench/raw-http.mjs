// An HTTP client of the least kind: bytes to a socket and back, so that the server's time is what is measured.
import { connect } from "node:net";

/** A kept connection that sends one request after another; opened by the first, since servers let idle ones go. */
export function openRawHttp(url) {
  const { hostname, port, host, pathname } = new URL(url);
  let received = "";
  let settle;
  let socket;
  const open = () => {
    const opened = connect(Number(port), hostname);
    opened.setNoDelay(true);
    opened.setEncoding("latin1");
    opened.on("data", (piece) => {
      received += piece;
      const answer = takeAnswer(received);
      if (answer === undefined) return;
      received = "";
      settle.resolve(answer);
    });
    opened.on("error", (error) => settle.reject(error));
    opened.on("close", () => {
      socket = undefined;
      settle.reject(new Error("The server closed the connection."));
    });
    return opened;
  };
  const send = (method, headers, text = "") => {
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      settle = { resolve, reject };
      socket ??= open();
      socket.write(`${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${text}`);
    });
  };
  return {
    post(body, headers = {}) {
      const text = JSON.stringify(body);
      const own = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": Buffer.byteLength(text),
      };
      return send("POST", { ...own, ...headers }, text);
    },
    /** End a session. */
    end: (headers) => send("DELETE", headers),
    close: () => socket?.destroy(),
  };
}

/** Open an MCP session of 2025-11-25; the result are the headers of its requests. */
export async function greet(lane, headers = {}) {
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const answer = await lane.post({ jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
  const id = answer.headers["mcp-session-id"];
  const own = { ...headers, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  await lane.post({ jsonrpc: "2.0", method: "notifications/initialized" }, own);
  return own;
}

/** Status, headers and body of a whole answer; `undefined` while something is missing. */
function takeAnswer(text) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first, ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  const length = headers["content-length"];
  const isWhole =
    length === undefined
      ? headers["transfer-encoding"] === undefined || body.endsWith("0\r\n\r\n")
      : body.length >= Number(length);
  if (!isWhole) return undefined;
  return { status: Number(first.split(" ")[1]), headers, body };
}
