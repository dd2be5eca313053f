import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "tenon-example-"));
writeFileSync(join(workspace, "main.ts"), "start();\n// TODO: stop\n");

const tenon = createTenon({ workspace });
const plugin = await tenon.loadPlugin(fileURLToPath(new URL("./plugin/", import.meta.url)));
assert.deepEqual(plugin.tools, ["find_todos"]);
assert.notEqual(plugin.pid, process.pid);

const answer = await tenon.call({ name: "find_todos", arguments: { path: "main.ts" } });
assert.deepEqual(answer.result, { todos: [{ line: 2, text: "stop" }] });
assert.deepEqual(answer.content, [{ type: "text", text: "2: stop" }]);

// The guard holds for plugins as for any tool.
const outside = await tenon.call({ name: "find_todos", arguments: { path: "../../etc/hostname" } });
assert.equal(outside.success, false);

// A reload starts a new process; the calls of the old one end there.
const running = tenon.call({ name: "find_todos", arguments: { path: "main.ts" } });
await tenon.reloadPlugin("todos");
assert.equal((await running).success, true);

await tenon.close();
rmSync(workspace, { recursive: true });
