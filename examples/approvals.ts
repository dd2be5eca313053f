// A dangerous tool runs only with consent; here the program answers in the place of a person.
import assert from "node:assert/strict";
import { createTenon, defineTool } from "tenon";
import * as z from "zod";

const sent: string[] = [];

const sendMail = defineTool({
  name: "send_mail",
  description: "Send a mail.",
  category: "network",
  annotations: { dangerous: true, openWorld: true },
  input: z.object({ to: z.email(), text: z.string() }),
  resources: ({ to }) => ({ writes: [{ host: to.split("@")[1] ?? "" }] }),
  preview: ({ to, text }) => ({ summary: `Mail to ${to}: ${text}` }),
  execute: ({ to, text }) => {
    sent.push(`${to}: ${text}`);
    return { sent: true };
  },
});

const tenon = createTenon({
  tools: [sendMail],
  interact: {
    approve: (request) =>
      request.preview?.summary.includes("ada@") === true
        ? { verdict: "once" }
        : { verdict: "no", reason: "only Ada may get mail" },
  },
});

const allowed = await tenon.call({ name: "send_mail", arguments: { to: "ada@example.com", text: "hi" } });
assert.equal(allowed.success, true);

const denied = await tenon.call({ name: "send_mail", arguments: { to: "bob@example.com", text: "hi" } });
assert.equal(denied.error?.code, "APPROVAL_DENIED");
assert.match(denied.error?.message ?? "", /only Ada may get mail/);
assert.deepEqual(sent, ["ada@example.com: hi"]);
await tenon.close();
