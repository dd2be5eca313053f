import { createServer } from "node:http";

/** A model for the pictures: it reads the notes, then answers. */
export async function startModel() {
  const answer = (body, response) => {
    const { messages } = JSON.parse(body);
    const hasRead = messages.some(({ role }) => role === "tool");
    const call = {
      id: "c1",
      type: "function",
      function: { name: "read_file", arguments: '{"path":"notes.md"}' },
    };
    const delta = hasRead ? { content: "You have to buy milk." } : { tool_calls: [{ index: 0, ...call }] };
    const finish_reason = hasRead ? "stop" : "tool_calls";
    const base = { id: "1", object: "chat.completion.chunk", created: 1, model: "demo" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta: { role: "assistant", ...delta } }] })}\n\n`,
    );
    response.write(
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta: {}, finish_reason }], usage: { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 } })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => answer(body, response));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
