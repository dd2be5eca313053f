/** The files of a new plugin, by name; `tenon` is where its package comes from: a version, or `file:` and a folder. */
export function pluginTemplate(name: string, tenon: string): Readonly<Record<string, string>> {
  return {
    "package.json": `${JSON.stringify(manifest(name, tenon), null, 2)}\n`,
    "index.ts": mainFile(name),
    "test/plugin.test.mjs": testFile(name),
    "README.md": readme(name),
  };
}

function manifest(name: string, tenon: string): object {
  return {
    name,
    version: "0.1.0",
    description: "A plugin for Tenon.",
    type: "module",
    main: "./index.ts",
    files: ["index.ts"],
    scripts: { test: "node --test" },
    devDependencies: { tenon, zod: "^4.0.0" },
  };
}

function mainFile(name: string): string {
  return `import { definePlugin, defineTool } from "tenon";
import * as z from "zod";

const countWords = defineTool({
  name: "${toolName(name)}",
  description: "Count the words and lines of a text file in the workspace.",
  category: "custom",
  version: "0.1.0",
  input: z.object({ path: z.string().describe("File in the workspace.") }),
  output: z.object({ words: z.number(), lines: z.number() }),
  annotations: { readOnly: true, idempotent: true },
  // What the call will read: permission and scheduling work from it.
  resources: ({ path }) => ({ reads: [{ path }] }),
  // Everything goes through ctx: files, network, commands, other tools. Tenon guards each of them.
  async execute({ path }, ctx) {
    const text = new TextDecoder().decode(await ctx.files.read(path));
    return {
      words: text.split(/\\s+/).filter(Boolean).length,
      lines: text === "" ? 0 : text.replace(/\\n$/, "").split("\\n").length,
    };
  },
  render: ({ words, lines }) => \`\${words} words in \${lines} lines\`,
});

export default definePlugin({
  name: "${name}",
  version: "0.1.0",
  description: "A plugin for Tenon.",
  tools: [countWords],
  setup({ options, log }) {
    log.debug("ready", { options });
    return () => log.debug("goodbye");
  },
});
`;
}

function testFile(name: string): string {
  return `import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "${name.replaceAll("/", "-")}-"));
const tenon = createTenon({ workspace, config: { stateDir: join(workspace, ".state") } });

before(async () => {
  writeFileSync(join(workspace, "poem.txt"), "one two\\nthree\\n");
  await tenon.loadPlugin(fileURLToPath(new URL("../index.ts", import.meta.url)));
});

after(async () => {
  await tenon.close();
  rmSync(workspace, { recursive: true, force: true });
});

test("counts words and lines", async () => {
  const answer = await tenon.call({ name: "${toolName(name)}", arguments: { path: "poem.txt" } });
  assert.deepEqual(answer.result, { words: 3, lines: 2 });
  assert.equal(answer.content[0].text, "3 words in 2 lines");
});

test("cannot read outside the workspace", async () => {
  const answer = await tenon.call({ name: "${toolName(name)}", arguments: { path: "/etc/passwd" } });
  assert.equal(answer.success, false);
});
`;
}

function readme(name: string): string {
  return `# ${name}

A plugin for Tenon. It needs no build step.

    npm install
    npm test
    tenon plugins add .
    tenon call ${toolName(name)} '{"path": "README.md"}'
`;
}

function toolName(name: string): string {
  return `${name
    .replace(/^@[^/]*\//, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .slice(0, 40)}_count_words`;
}
