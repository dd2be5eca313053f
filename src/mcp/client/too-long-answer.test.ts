import { expect, it } from "vitest";
import { tooLongAnswer } from "./too-long-answer.js";

it("finds the id of an oversized answer at its start or its end, never inside", () => {
  const answerFor = (head: string, tail: string) => tooLongAnswer({ head, tail, bytes: 9 }, 1);
  expect(answerFor('{"jsonrpc":"2.0","id":7,"result":{', "}}")).toMatchObject({ id: 7 });
  expect(answerFor('{"result":{"id":1', 'x"},"jsonrpc":"2.0","id":8}')).toMatchObject({ id: 8 });
  expect(answerFor('{"result":{"id":1', '"id":2}}')).toBeUndefined();
});
