// The Gemini SDK with a native tool of another provider, one of Tenon and one of your own. A small server stands in for Google here; with the real one,
// leave `httpOptions` out.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GoogleGenAI, type Content } from "@google/genai";
import { createTenon, defineTool, readToolCalls, toToolMessages } from "tenon";
import * as z from "zod";

const greet = defineTool({
  name: "greet",
  description: "Greet someone by name.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ who: z.string() }),
  execute: ({ who }) => ({ text: `Hello, ${who}` }),
});
const tenon = createTenon({
  tools: [greet],
  interact: { approve: () => true },
  config: { database: ":memory:", tools: { native: ["anthropic"] } },
});
const session = tenon.createSession();

const recorded = [
  [
    { functionCall: { name: "greet", args: { who: "Ada" } } },
    { functionCall: { name: "base64_encode", args: { text: "hi" } } },
    { functionCall: { name: "bash", args: { command: "echo from the shell" } } },
  ],
  [{ text: "Done." }],
];
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ candidates: [{ content: { role: "model", parts: recorded.shift() } }] }));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });

const tools = session.toLLMTools("gemini");
const contents: Content[] = [{ role: "user", parts: [{ text: "Greet Ada." }] }];
const config = { tools: [{ functionDeclarations: tools.tools as never }] };
const first = await client.models.generateContent({ model: "m", contents, config });
const { calls, failures } = readToolCalls("gemini", first, tools);
const answers = toToolMessages("gemini", [...(await session.callMany(calls)), ...failures], tools);
contents.push(first.candidates![0]!.content!, ...(answers as Content[]));
assert.match(
  JSON.stringify(answers),
  /"name":"greet".*Hello, Ada.*"name":"base64_encode".*aGk=.*from the shell/,
);
const second = await client.models.generateContent({ model: "m", contents, config });
assert.equal(second.text, "Done.");
await tenon.close();
server.close();
