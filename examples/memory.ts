// What an agent learned is found again, by another session and in another language too.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "tenon-memory-"));
const tenon = createTenon({ workspace });

const saved = await tenon.call({
  name: "save_learning",
  arguments: { title: "测试很慢", content: "数据库的迁移要放进一个事务。", tags: ["database"] },
});
assert.equal(saved.success, true, saved.error?.message);

const session = tenon.createSession({ agent: "another" });
const found = await session.call({ name: "query_memory", arguments: { query: "事务" } });
assert.match(JSON.stringify(found.result), /测试很慢/);

await session.call({ name: "create_task", arguments: { id: "T1", title: "Migrate", description: "" } });
await session.call({
  name: "create_task",
  arguments: { id: "T2", title: "Deploy", description: "", depends_on: ["T1"] },
});
const tasks = await session.call({ name: "get_tasks", arguments: {} });
assert.match(JSON.stringify(tasks.result), /"ready":\["T1"\]|"ready":true/);

await tenon.close();
rmSync(workspace, { recursive: true });
