import { describe, expect, it } from "vitest";
import { answerText } from "./answer-text.js";
import { structuredText } from "./to-call-result.js";

const large = { content: 'line\n"quoted" \u2028 ä'.repeat(200), lines: 3 };

describe("the text of an answer", () => {
  it("is the same message whether its result was written before or not", () => {
    const answers = [
      {
        jsonrpc: "2.0",
        id: 'a"b',
        result: { content: [{ type: "text", text: "x" }], structuredContent: large },
      },
      {
        jsonrpc: "2.0",
        id: 1,
        result: { content: [], structuredContent: large, isError: true, _meta: { a: 1 } },
      },
      { jsonrpc: "2.0", id: 2, result: { content: [] } },
      { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "no" } },
    ] as const;
    const fresh = answers.map((answer) => JSON.parse(answerText(answer)) as unknown);
    const known = answers.map((answer) => {
      if (!("result" in answer) || !("structuredContent" in answer.result)) return answer;
      return { ...answer, result: { ...answer.result, [structuredText]: JSON.stringify(large) } };
    });
    expect(known.map((answer) => JSON.parse(answerText(answer)) as unknown)).toEqual(fresh);
    expect(fresh).toEqual(answers);
  });
});
