import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { openRunFolder } from "./test/setup/run-folder.js";

const folder = openRunFolder();

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // The developer's own configuration has no say in the programs that tests start.
    env: { XDG_CONFIG_HOME: join(folder, "no-configuration") },
    globalSetup: ["test/setup/run-folder.ts", "test/postgres-setup.ts"],
    setupFiles: ["test/setup/matchers.ts"],
    // Vitest leaves one core free; the suite mostly waits for processes and disks, so it takes them all.
    maxWorkers: "100%",
    // Two files at a time on two cores: what takes seconds alone may take long beside a build of an index.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once on a quiet machine; on a busy one only the test's own limit ends the wait.
    expect: { poll: { timeout: 100_000, interval: 20 } },
  },
});
