import { describe, expect, it } from "vitest";
import { createAnswerer } from "./answer-server.js";
import type { ServerRequest } from "../client/server-connection.js";
import type { Caller } from "./caller.js";

const { signal } = new AbortController();

/** An answerer for calls. */
function open() {
  const faults: string[] = [];
  const answer = createAnswerer({
    server: "srv",
    onFault: (fault) => faults.push(fault),
    now: () => 0,
  });
  const ask = (method: ServerRequest["method"], params: object, ...calls: object[]) =>
    answer({ method, params: params as never, signal }, calls as never);
  return { ask, faults, answer };
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
  return { caller: { sessionId, interact, client }, asked };
}

describe("a server's question", () => {
  it("goes to the person of the one session whose call it belongs to", async () => {
    const { ask, faults } = open();
    const [one, same] = [call("s", { approved: false }), call("s", { approved: true })];
    expect(await ask("elicitation/create", { message: "Go\u200b?" }, one, same)).toEqual({
      action: "accept",
      content: {},
    });
    expect(same.asked).toEqual([{ kind: "confirm", message: 'The MCP server "srv" asks: Go⟨U+200B⟩?' }]);
    expect([one.asked, faults]).toEqual([[], []]);
  });

  it("is refused where no call runs, or calls of several sessions do: the wrong person must not be asked", async () => {
    const { ask, faults } = open();
    const [one, other] = [call("s", { approved: true }), call("t", { approved: true })];
    expect(await ask("elicitation/create", {})).toEqual({ action: "decline" });
    expect(await ask("elicitation/create", {}, one, other)).toEqual({ action: "decline" });
    await expect(ask("sampling/createMessage", {}, one, other)).rejects.toThrow(/several sessions/);
    expect([one.asked, other.asked]).toEqual([[], []]);
    expect(faults.map((fault) => /elicitation|sampling/.exec(fault)?.[0])).toEqual([
      "elicitation",
      "elicitation",
      "sampling",
    ]);
  });

  it("goes to the host that declared it, in the server's name, and to nobody else otherwise", async () => {
    const { ask, faults } = open();
    const sent: unknown[] = [];
    const answer = { action: "accept", content: { a: 1 }, _meta: { b: 2 } };
    const host = (capabilities: object) =>
      call(
        "s",
        { approved: true },
        {
          capabilities,
          request: async (method: string, params: unknown) => (sent.push([method, params]), answer),
        },
      );
    const forms = host({ elicitation: { form: {} }, tasks: {} });
    expect(await ask("elicitation/create", { message: "Who?", requestedSchema: { a: 1 } }, forms)).toEqual(
      answer,
    );
    expect(sent).toEqual([
      ["elicitation/create", { message: 'The MCP server "srv" asks: Who?', requestedSchema: { a: 1 } }],
    ]);
    expect(await ask("elicitation/create", { mode: "url", url: "https://x.org/" }, forms)).toEqual({
      action: "decline",
    });
    await expect(ask("roots/list", {}, forms)).rejects.toThrow(/did not declare/);
    const samples = host({ sampling: {}, roots: {} });
    await expect(ask("sampling/createMessage", { tools: [] }, samples)).rejects.toThrow(/did not declare/);
    expect(await ask("elicitation/create", {}, samples)).toEqual({ action: "decline" });
    expect(await ask("sampling/createMessage", {}, samples)).toEqual(answer);
    expect(await ask("roots/list", {}, samples)).toEqual(answer);
    expect(await ask("elicitation/create", { mode: "url" }, host({ elicitation: { url: {} } }))).toEqual(
      answer,
    );
    expect(await ask("elicitation/create", {}, host({ elicitation: {} }))).toEqual(answer);
    expect(sent).toHaveLength(5);
    expect([forms.asked, samples.asked]).toEqual([[], []]);
    expect(faults).toHaveLength(4);
  });

  it("goes to a host that answers forms and for its model only by the way of each", async () => {
    const { ask, faults } = open();
    const client = {
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      elicit: async ({ message }: { message?: string }) => ({ action: "accept", content: { message } }),
      sample: async ({ maxTokens }: { maxTokens?: number }) => ({ role: "assistant", maxTokens }),
    };
    const host = call("s", {}, client);
    expect(await ask("elicitation/create", { message: "Who?" }, host)).toEqual({
      action: "accept",
      content: { message: 'The MCP server "srv" asks: Who?' },
    });
    expect(await ask("sampling/createMessage", { maxTokens: 5 }, host)).toEqual({
      role: "assistant",
      maxTokens: 5,
    });
    await expect(ask("roots/list", {}, host)).rejects.toThrow(/cannot answer it/);
    expect(faults).toHaveLength(1);
  });

  it("carries the name that its server gave it", async () => {
    const { answer } = open();
    const sent: unknown[] = [];
    const client = {
      capabilities: { roots: {} },
      request: async (_: string, params: unknown) => (sent.push(params), {}),
    };
    const request = { method: "roots/list", params: { _meta: { x: 1 } }, signal, key: "k" } as const;
    await answer(request, [call("s", {}, client) as never]);
    expect(sent).toEqual([{ _meta: { x: 1, "tenon/inputKey": "k" } }]);
  });

  it("is refused after a hundred of one call, so that no call lasts for ever", async () => {
    const { ask, faults } = open();
    const one = call("s", { approved: true });
    for (let asked = 0; asked < 100; asked++)
      expect(await ask("elicitation/create", {}, one)).toMatchObject({ action: "accept" });
    expect(await ask("elicitation/create", {}, one)).toEqual({ action: "decline" });
    expect([one.asked.length, faults.length]).toEqual([100, 1]);
    expect(await ask("elicitation/create", {}, call("s", { approved: true }))).toMatchObject({
      action: "accept",
    });
  });

  it("for roots, outside of calls, goes to the host of the only session, a hundred times a minute", async () => {
    const capabilities = { roots: {}, elicitation: {}, sampling: {} };
    const host = call("s", {}, { capabilities, request: async () => ({ roots: [] }) });
    let only: object | undefined = host.caller;
    let now = 1;
    const told: string[] = [];
    const answer = createAnswerer({
      server: "srv",
      onlyCaller: () => only as Caller | undefined,
      onRoots: (session) => told.push(session),
      onFault: () => {},
      now: () => now,
    });
    const roots = { method: "roots/list" as const, params: {}, signal };
    for (let count = 0; count < 100; count++) expect(await answer(roots, [])).toEqual({ roots: [] });
    await expect(answer(roots, [])).rejects.toThrow(/outside of calls it asked more than 100 times/);
    now += 60_001;
    expect(await answer(roots, [])).toEqual({ roots: [] });
    expect(told).toEqual(Array.from({ length: 101 }, () => "s"));
    expect(await answer({ ...roots, method: "elicitation/create" }, [])).toEqual({ action: "decline" });
    await expect(answer({ ...roots, method: "sampling/createMessage" }, [])).rejects.toThrow(/no call/);
    for (only of [call("s", { approved: true }).caller, undefined])
      await expect(answer(roots, [])).rejects.toThrow(/no call of it is running/);
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

it("never asks a person for a model or roots", async () => {
  const { ask, faults } = open();
  await expect(ask("sampling/createMessage", {}, call("s", {}))).rejects.toThrow(/nobody in this session/);
  await expect(ask("roots/list", {}, call("s", {}))).rejects.toMatchObject({ code: -32601 });
  expect(faults).toHaveLength(2);
});
