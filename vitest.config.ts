import { availableParallelism } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig, type TestUserConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.js";
import { openRunFolder } from "./test/setup/run-folder.js";
import { slowTests } from "./test/setup/slow-tests.js";

const folder = openRunFolder();
const isQuick = process.env["TENON_TEST_LENGTH"] === "quick";
const slowFiles = slowTests.map(([, name]) => name);

const shared: TestUserConfig = {
  // The developer's own configuration has no say in the programs that tests start.
  env: { XDG_CONFIG_HOME: join(folder, "no-configuration") },
  setupFiles: ["test/setup/matchers.ts"],
  // What takes seconds alone may take long beside a build of an index.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // What is waited for comes at once on a quiet machine; on a busy one only the test's own limit ends the wait.
  expect: { poll: { timeout: 100_000, interval: 20 } },
};

/** What was transformed is kept for the next run, and for the other project of this one. */
const experimental = { fsModuleCache: true };

/** Loading the runtime again takes longer than most test files: short ones share a process and what it has loaded. */
const short: TestUserConfig = {
  ...shared,
  experimental,
  name: "short",
  isolate: false,
  include: ["src/**/*.test.ts", "test/**/*.test.ts"],
  exclude: [...configDefaults.exclude, ...slowFiles.map((name) => `**/${name}.test.ts`)],
};

const slow: TestUserConfig = {
  ...shared,
  experimental,
  name: "slow",
  include: slowFiles.flatMap((name) => [`src/**/${name}.test.ts`, `test/**/${name}.test.ts`]),
};

export default defineConfig({
  test: {
    ...shared,
    projects: (isQuick ? [short] : [short, slow]).map((test) => ({ test })),
    globalSetup: ["test/setup/run-folder.ts", "test/postgres-setup.ts"],
    sequence: { sequencer: LongestFirst },
    // Half of the slow files wait for processes, disks or time limits at any time, and hardly a short one does.
    maxWorkers: availableParallelism() + (isQuick ? 1 : 3),
  },
});
