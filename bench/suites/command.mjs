// Judging a shell line: parse, take apart, judge each command, decide by the policy. No line is run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable, quantile } from "../measure.mjs";

const lines = {
  "ls -la": "ls -la",
  "git status": "git status --short",
  "a pipe of three": "cat README.md | grep -n foo | head -5",
  "find and xargs": "find src -name '*.ts' -not -path '*/dist/*' | xargs grep -l foo",
  "build and test": "cd app && npm run build && npm test 2>&1 | tail -20",
  "sh -c": "bash -c 'git log --oneline -5 && git diff --stat'",
  "a commit": "git add -A && git commit -m 'fix: remove sudo; rm -rf / is bad'",
  "a loop": 'for f in a b c; do wc -l "$f"; done',
  "a here-document": "cat > x.txt <<'EOF'\nhello\nworld\nEOF",
  "a wrapped denial": "timeout 5 env X=1 sh -c 'true && rm -rf ~'",
  obfuscated: "X=r; Y=m; echo cm0gLXJmIC8= | base64 -d | bash; $X$Y -rf $(echo /)",
};

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: `${root}-state`, policy: { rules: [{ decision: "allow", tool: "*judged" }] } },
    tools: [defineShell("unjudged"), defineShell("judged", ({ command }) => ({ line: command }))],
  });
  const call = (name, command) => () => tenon.call({ name, arguments: { command } });
  const none = "the same tool without a line";
  const contenders = {
    [none]: call("unjudged", "ls -la"),
    ...Object.fromEntries(Object.entries(lines).map(([name, command]) => [name, call("judged", command)])),
  };
  const results = await compare(contenders, { rounds: 40, callsPerRound: 300 });
  printTable("A call with a shell line that does nothing", results, none);
  const base = results.get(none).median;
  const added = Object.keys(lines).map((name) => results.get(name).median - base);
  console.log();
  printGoal("µs to judge a line, at the median of these", quantile(added, 0.5), 100);
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
  rmSync(`${root}-state`, { recursive: true, force: true });
}

function defineShell(name, shellLine) {
  return defineTool({
    name,
    description: "Take a line and do nothing.",
    category: "shell",
    annotations: { dangerous: true },
    input: z.object({ command: z.string() }),
    resources: () => ({ writes: [{ tree: "." }] }),
    ...(shellLine !== undefined && { shellLine }),
    execute: () => "",
  });
}
