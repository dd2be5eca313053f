import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getFileInfo } from "./get-file-info.js";
import { openReadFixture, type ReadFixture } from "./testing/read-fixture.js";

let fixture: ReadFixture;

beforeEach(() => {
  fixture = openReadFixture();
});
afterEach(() => fixture.close());

const info = (path: string): Promise<Record<string, unknown>> => fixture.run(getFileInfo, { path });

describe("get_file_info", () => {
  it("tells what a file is", async () => {
    writeFileSync(fixture.path("a.py"), "print()\n");
    chmodSync(fixture.path("a.py"), 0o640);
    utimesSync(fixture.path("a.py"), 1000, 1000);
    const result = await info("a.py");
    expect(result).toMatchObject({
      exists: true,
      type: "file",
      size: 8,
      modified: 1_000_000,
      created: expect.any(Number) as number,
      mode: "0640",
      language: "python",
    });
    expect(getFileInfo.render?.(result, {})).toMatch(/a\.py: file, python, 8 B .*mode 0640, modified 1970-/);
  });

  it("looks at the beginning where the name says nothing", async () => {
    writeFileSync(fixture.path("run"), "#!/usr/bin/env -S node --test\n");
    writeFileSync(fixture.path("blob"), Buffer.from([0, 1, 2, 3]));
    expect(await info("run")).toMatchObject({ language: "javascript" });
    expect(await info("blob")).not.toHaveProperty("language");
  });

  it("knows directories, and follows links that stay inside", async () => {
    mkdirSync(fixture.path("dir"));
    symlinkSync("dir", fixture.path("link"));
    expect(await info("dir")).toMatchObject({ type: "directory" });
    expect(await info("link")).toMatchObject({ type: "directory" });
  });

  it.each(["missing", "missing/deeper"])("says of %j that it does not exist", async (path) => {
    const result = await info(path);
    expect(result).toEqual({ path, exists: false });
    expect(getFileInfo.render?.(result, {})).toBe(`${path} does not exist.`);
  });

  it("refuses to look outside", async () => {
    await expect(info("../x")).rejects.toThrow(/Access denied/);
  });
});
