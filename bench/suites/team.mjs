// What it costs to know who calls: named tokens, logins of an identity provider, and rules by user.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

const echo = defineTool({
  name: "echo",
  description: "Give it back.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ text: z.string() }),
  execute: async ({ text }) => ({ text }),
});

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const open = (name, config = {}) =>
    createTenon({
      workspace: root,
      config: { stateDir: join(root, name), audit: { enabled: false }, ...config },
      tools: [echo],
    });
  await identities(open);
  await starts(open);
  await decisions(open);
  rmSync(root, { recursive: true, force: true });
}

/** A named token is looked up by its hash; a token of a provider that was checked before, by its subject. */
async function identities(open) {
  const tenon = open("warm");
  await tenon.access.addPrincipal({ name: "ci", kind: "program", role: "operator" });
  const { secret } = await tenon.access.createToken({ name: "ci", principal: "ci", role: "operator" });
  const login = { issuer: "https://id.example.org", subject: "u-1", name: "alice", kind: "person" };
  const granted = { ...login, role: "operator", at: 1, isWhole: true };
  await tenon.access.signIn(granted);
  const jwt = randomBytes(700).toString("base64url");
  const results = await compare(
    {
      nothing: async () => undefined,
      "named token": () => tenon.access.authenticate(secret),
      "access token": () => {
        createHash("sha256").update(jwt).digest("base64url");
        return tenon.access.identify(granted);
      },
    },
    { callsPerRound: 500 },
  );
  printTable("Who calls, with a warm token", results, "nothing");
  for (const name of ["named token", "access token"])
    printGoal(`a ${name} adds, µs`, results.get(name).median, 30);
  printGoal("a named token adds, µs of CPU", await cpuOf(() => tenon.access.authenticate(secret)), 30);
  await tenon.close();
}

/** What a call costs this process, whatever else the machine does. */
async function cpuOf(run, calls = 20_000) {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** Tokens stay in the database: a start reads none of them. */
async function starts(open) {
  const filler = open("many");
  await filler.access.addPrincipal({ name: "owner", kind: "program", role: "operator" });
  let secret;
  for (let each = 0; each < 10_000; each++)
    ({ secret } = await filler.access.createToken({ name: `t${each}`, principal: "owner", role: "viewer" }));
  await filler.close();
  const empty = open("none");
  await empty.access.principals();
  await empty.close();
  const times = { none: [], many: [] };
  for (let round = 0; round < 10; round++) {
    for (const name of ["none", "many"]) {
      const started = performance.now();
      const tenon = open(name);
      await tenon.access.authenticate(secret);
      times[name].push(performance.now() - started);
      await tenon.close();
    }
  }
  printGoal(
    "a start with 10,000 tokens takes longer by, ms",
    quantile(times.many, 0.5) - quantile(times.none, 0.5),
    50,
  );
}

/** 1,000 users with 20 rules each. */
async function decisions(open) {
  const users = Array.from({ length: 1000 }, (_, each) => `user-${each}`);
  const rules = users.flatMap((user) =>
    Array.from({ length: 20 }, (_, each) => ({ decision: "deny", user, path: `secret-${each}/**` })),
  );
  const without = open("plain");
  const ruled = open("ruled", { policy: { rules } });
  const sessionOf = (tenon) =>
    tenon.createSession({ userId: "user-999", principal: "user-999", role: "operator" });
  const call = (session) => () => session.call({ name: "echo", arguments: { text: "x" } });
  const results = await compare(
    { "no rules": call(sessionOf(without)), "20,000 rules by user": call(sessionOf(ruled)) },
    { callsPerRound: 300 },
  );
  printTable("A call of one user", results, "no rules");
  const added = results.get("20,000 rules by user").median - results.get("no rules").median;
  printGoal("rules by user add, µs a call", added, 5);
  await Promise.all([without.close(), ruled.close()]);
}
