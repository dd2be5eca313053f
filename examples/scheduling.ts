// Calls that touch different things run at once; those that touch the same thing keep their order.
import assert from "node:assert/strict";
import { createTenon, defineTool } from "tenon";
import * as z from "zod";

const balances = new Map([
  ["ann", 100],
  ["bob", 100],
]);
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

const add = defineTool({
  name: "add",
  description: "Change a balance by an amount.",
  category: "custom",
  input: z.object({ account: z.string(), amount: z.number() }),
  resources: ({ account }) => ({ writes: [{ lock: `account:${account}` }] }),
  async execute({ account, amount }) {
    const before = balances.get(account) ?? 0;
    await pause(); // without the lock, another call would read the same balance now
    balances.set(account, before + amount);
    return { balance: before + amount };
  },
});

const tenon = createTenon({ tools: [add] });
const answers = await tenon.callMany([
  { name: "add", arguments: { account: "ann", amount: 10 } },
  { name: "add", arguments: { account: "ann", amount: -5 } },
  { name: "add", arguments: { account: "bob", amount: 1 } },
]);
assert.deepEqual(
  answers.map(({ result }) => result),
  [{ balance: 110 }, { balance: 105 }, { balance: 101 }],
);
await tenon.close();
