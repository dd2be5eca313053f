// Files are edited only as they were seen, and every change can be taken back.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "tenon-editing-"));
const file = join(workspace, "price.ts");
const before = "export const price = 10;\r\nexport const name = 'old';\r\n";
writeFileSync(file, before);

const tenon = createTenon({ workspace, config: { mode: "auto" } });
const edit = { path: "price.ts", old_str: "price = 10", new_str: "price = 12" };

const blind = await tenon.call({ name: "edit_file", arguments: edit });
assert.equal(blind.error?.code, "EDIT_NOT_READ");

await tenon.call({ name: "read_file", arguments: { path: "price.ts" } });
const edited = await tenon.call({ name: "edit_file", arguments: edit });
assert.equal(edited.success, true, edited.error?.message);
assert.equal(readFileSync(file, "utf8"), before.replace("10", "12"));

const undone = await tenon.call({ name: "undo_edit", arguments: { path: "price.ts" } });
assert.equal(undone.success, true, undone.error?.message);
assert.equal(readFileSync(file, "utf8"), before);

await tenon.close();
rmSync(workspace, { recursive: true });
