// The least that a server on node:http can do for a call: read the body, parse it and answer. What no MCP server on it is below.
// With --recorded it does as little as Tenon must: it checks the token, writes a record of the same size, hashed, to a file
// before it answers, and sends the headers that every answer of Tenon has. Events, policy, limits and sessions are left out.
import { hash, timingSafeEqual } from "node:crypto";
import { mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const isRecorded = process.argv.includes("--recorded");
const folder = isRecorded ? mkdtempSync(join(tmpdir(), "tenon-bench-bare-")) : undefined;
const file = folder === undefined ? undefined : openSync(join(folder, "log"), "a");
const token = "x".repeat(43);
const tokenHash = hash("sha256", token, "buffer");
const bytes = Buffer.alloc(64 * 1024);
let previous = "0".repeat(64);
let seq = 0;

function record(call) {
  const fields = {
    callId: `call_mf1x2y3z0123456789_${seq}`,
    time: Date.now(),
    durationMs: 0.12,
    outcome: "success",
  };
  const who = {
    tool: call.name,
    version: "1.0.0",
    sessionId: "session_mf1x2y3z_1",
    agent: "bench",
    principal: "http:token",
  };
  const reason = 'the rule "built-in:read-only" allows base64_encode: it only reads';
  const decision = { behavior: "allow", rule: "built-in:read-only", source: "built-in", reason };
  const what = { arguments: call.arguments, result: { text: "aGVsbG8=" }, salt: "0123456789abcdefghijkl" };
  const body = JSON.stringify({
    previous,
    seq: seq++,
    ...fields,
    ...who,
    client: { name: "bench", version: "1" },
    decision,
    ...what,
  });
  const end = 76 + bytes.write(body, 76);
  previous = hash("sha256", bytes.subarray(76, end));
  bytes.write(`{"hash":"${previous}",`, 0, "latin1");
  bytes[end] = 10;
  writeSync(file, bytes, 0, end + 1);
}

const commonHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
};

const server = createServer((request, response) => {
  let body = "";
  if (isRecorded) {
    const given = request.headers.authorization?.slice(7) ?? "";
    if (!timingSafeEqual(hash("sha256", given, "buffer"), tokenHash)) throw new Error("The token is wrong.");
  }
  request.setEncoding("utf8");
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    const { id, params } = JSON.parse(body);
    if (isRecorded) record(params);
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: { content: [{ type: "text", text: "aGVsbG8=" }] },
    });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...(isRecorded && commonHeaders),
    });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(JSON.stringify(isRecorded ? { url, token } : { url }));
});
process.once("SIGINT", () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit();
});
