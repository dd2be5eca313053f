// A name is found where it is defined, before all the places that mention it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTenon } from "tenon";

const workspace = mkdtempSync(join(tmpdir(), "tenon-code-"));
writeFileSync(join(workspace, "a-user.py"), "from shop import total\nprint(total([1]))\n");
writeFileSync(join(workspace, "shop.py"), "RATE = 2\n\ndef total(items):\n    return sum(items) * RATE\n");

const tenon = createTenon({ workspace });
const answer = await tenon.call({ name: "code_query", arguments: { query: "total" } });
const { matches } = answer.result as { matches: { file: string; line: number; kind: string }[] };
const [first] = matches;
assert.deepEqual([first?.file, first?.line, first?.kind], ["shop.py", 3, "function"]);

await tenon.close();
rmSync(workspace, { recursive: true });
