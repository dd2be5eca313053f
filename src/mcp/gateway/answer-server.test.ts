import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../contract/context.js";
import { createAnswerer } from "./answer-server.js";

const { signal } = new AbortController();

/** An answerer for calls that are contexts themselves. */
function open() {
  const faults: string[] = [];
  const answer = createAnswerer({
    server: "srv",
    contextOf: (call) => call as unknown as ToolContext,
    onFault: (fault) => faults.push(fault),
  });
  const ask = (method: "elicitation/create" | "sampling/createMessage", params: object, ...calls: object[]) =>
    answer({ method, params: params as never, signal }, calls as never);
  return { ask, faults };
}

/** A call of a session whose person gives this answer. */
function call(sessionId: string, answer: object | Error, client?: object) {
  const asked: { kind: string; message: string }[] = [];
  const interact = {
    ask: async (question: { kind: string; message: string }) => {
      asked.push(question);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { sessionId, interact, client, asked };
}

describe("a server's question", () => {
  it("goes to the person of the one session whose call it belongs to", async () => {
    const { ask, faults } = open();
    const [one, same] = [call("s", { approved: false }), call("s", { approved: true })];
    expect(await ask("elicitation/create", { message: "Go\u200b?" }, one, same)).toEqual({
      action: "accept",
      content: {},
    });
    expect(same.asked).toEqual([{ kind: "confirm", message: 'The MCP server "srv" asks: Go?' }]);
    expect([one.asked, faults]).toEqual([[], []]);
  });

  it("is refused where no call runs, or calls of several sessions do: the wrong person must not be asked", async () => {
    const { ask, faults } = open();
    const [one, other] = [call("s", { approved: true }), call("t", { approved: true })];
    expect(await ask("elicitation/create", {})).toEqual({ action: "decline" });
    expect(await ask("elicitation/create", {}, one, other)).toEqual({ action: "decline" });
    await expect(ask("sampling/createMessage", {}, one, other)).rejects.toThrow(/several sessions/);
    expect([one.asked, other.asked]).toEqual([[], []]);
    expect(faults.map((fault) => /person|model/.exec(fault)?.[0])).toEqual(["person", "person", "model"]);
  });

  it("goes to the host where that can ask, in the server's name", async () => {
    const { ask } = open();
    const sent: unknown[] = [];
    const client = (supports: object) => ({
      supports,
      elicit: async (params: unknown) => (sent.push(params), { action: "accept", content: { a: 1 } }),
    });
    const form = call("s", { approved: true }, client({ elicitForm: true, elicitUrl: false }));
    const answer = await ask("elicitation/create", { message: "Who?", requestedSchema: { a: 1 } }, form);
    expect(answer).toEqual({ action: "accept", content: { a: 1 } });
    expect(sent).toEqual([{ message: 'The MCP server "srv" asks: Who?', requestedSchema: { a: 1 } }]);
    // A host that shows forms only does not open addresses: the person is asked.
    expect(await ask("elicitation/create", { mode: "url", url: "https://x.org/\u200b" }, form)).toEqual({
      action: "accept",
    });
    expect(form.asked[0]?.message).toContain("Open https://x.org/ and");
    const opens = call("s", {}, client({ elicitForm: false, elicitUrl: true }));
    await ask("elicitation/create", { mode: "url" }, opens);
    expect([sent.length, opens.asked.length]).toEqual([2, 0]);
  });

  it("about an address is declined unless the person confirms", async () => {
    const { ask } = open();
    expect(await ask("elicitation/create", { mode: "url" }, call("s", { approved: false }))).toEqual({
      action: "decline",
    });
    expect(await ask("elicitation/create", { mode: "url" }, call("s", {}))).toEqual({ action: "decline" });
  });

  it("is declined, and a fault, where nobody can be asked", async () => {
    const { ask, faults } = open();
    const nobody = call("s", new Error("no terminal"));
    expect(await ask("elicitation/create", { message: 1 }, nobody)).toEqual({ action: "decline" });
    expect(faults).toEqual([expect.stringContaining("no terminal")]);
  });
});

describe("a server's request for a model", () => {
  it("goes to the host where that offers one, and is refused otherwise", async () => {
    const { ask, faults } = open();
    const client = { supports: { sample: true }, sample: async (params: unknown) => ({ got: params }) };
    expect(await ask("sampling/createMessage", { a: 1 }, call("s", {}, client))).toEqual({ got: { a: 1 } });
    const without = { ...client, supports: { sample: false } };
    await expect(ask("sampling/createMessage", {}, call("s", {}, without))).rejects.toThrow(/srv/);
    await expect(ask("sampling/createMessage", {}, call("s", {}))).rejects.toThrow(/srv/);
    expect(faults).toHaveLength(2);
  });
});
