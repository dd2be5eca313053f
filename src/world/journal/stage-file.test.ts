import { openSync } from "node:fs";
import { expect, it } from "vitest";
import { openBelow } from "../testing/open-below.js";
import { createFlushes } from "./stage-file.js";

it("goes on where a file system cannot flush, and closes what it was given", async () => {
  const before = openBelow("/dev").length;
  const flushes = createFlushes();
  // Flushing a device is refused like flushing a folder on some file systems.
  for (let at = 0; at < 100; at++) {
    await flushes.add(openSync("/dev/null", "r+"));
    expect(openBelow("/dev").length - before).toBeLessThanOrEqual(32);
  }
  await flushes.end();
  expect(openBelow("/dev")).toHaveLength(before);
});
