import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // The developer's own configuration has no say in the programs that tests start.
    env: { XDG_CONFIG_HOME: join(tmpdir(), "tenon-tests-without-configuration") },
    globalSetup: ["test/postgres-setup.ts"],
    setupFiles: ["test/setup/matchers.ts"],
    // Vitest leaves one core free; the suite mostly waits for processes and disks, so it takes them all.
    maxWorkers: "100%",
    // Two files at a time on two cores: what takes seconds alone may take long beside a build of an index.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
