import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { drainAfterExit } from "./drain-after-exit.js";
import type { Running } from "./launch.js";
import { isRunning } from "./process-table.js";
import { groupExists } from "./stop-tree.js";

it.runIf(process.platform === "linux")(
  "does not take a process that has ended, but was not waited for, for one that still runs",
  async () => {
    // A process group of which only a zombie is left.
    const program =
      '$| = 1; if ($pid = fork) { print "$pid\n"; sleep 60 } else { setpgrp(0, 0); select(undef, undef, undef, 0.1); exit }';
    const parent = spawn("perl", ["-e", program], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(line);
      await expect.poll(() => isRunning(pid)).toBe(false);
      expect(groupExists(pid)).toBe(true);
      const running = { drained: Promise.resolve(), release: () => {} } as unknown as Running;
      const ended = await drainAfterExit(
        running,
        { pid, tag: "no-such-tag", sandboxed: false },
        { stopLeftovers: (_, done) => done(), sweepLater: () => {} },
      );
      expect(ended).toEqual({ leftBehind: false, leftovers: [] });
    } finally {
      parent.kill("SIGKILL");
    }
  },
);
