/* Uses up the descriptors of this process (its limit is set by the caller) and tries the guard then. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createJiti } from "jiti";

const jiti = createJiti(import.meta.url);
const { createGuard } = await jiti.import("../../src/world/files/guard.ts");
const { createPathRules } = await jiti.import("../../src/world/files/path-rules.ts");
const workspace = process.argv[2];
writeFileSync(path.join(workspace, "a"), "x");
const guard = createGuard({ rules: createPathRules({ workspace }), maxFileSize: 1000, sync: false });
await guard.makeDirectory("warm");

const held = [];
try {
  for (;;) held.push(openSync("/dev/null"));
} catch {
  // That was the last one.
}
const attempts = [() => guard.read("a"), () => guard.stat("a"), () => guard.makeDirectory("b")];
const errors = [];
for (const attempt of attempts)
  errors.push(
    await Promise.resolve()
      .then(attempt)
      .catch((error) => error),
  );
for (const fd of held) closeSync(fd);
const after = await guard.makeDirectory("b").then(
  () => "no error",
  (error) => String(error),
);
process.stdout.write(
  JSON.stringify({
    codes: errors.map((error) => error.code),
    retryable: errors.every((error) => error.retryable),
    after,
  }),
);
