import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createFixture, open, type Fixture } from "../../../test/spine-fixture.js";
import type { WaitingLayer } from "../../contract/ports/layers.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

let fixture: Fixture;
const ids: Record<"kept" | "other", string> = { kept: "", other: "" };

const tenon = (...args: string[]): Promise<Ended> =>
  runTenon(args, { cwd: fixture.workspace, env: { TENON_STATE_DIR: fixture.stateDir } });

beforeEach(async () => {
  fixture = createFixture();
  const runtime = open({ config: { mode: "auto", stateDir: fixture.stateDir } }, fixture);
  const run = async (command: string): Promise<string> => {
    const envelope = await runtime.call({ name: "shell_exec", arguments: { command, dry_run: true } });
    expect(envelope).toMatchObject({ success: true, result: { committed: "none" } });
    return envelope.callId;
  };
  ids.kept = await run("printf 'a\\342\\200\\256\\n' >new.txt; echo b >later.txt");
  ids.other = await run("echo c >other.txt");
  await runtime.close();
});

async function layersOf(callId: string): Promise<WaitingLayer[]> {
  return JSON.parse((await tenon("layers", "list", "--call", callId, "--json")).out) as WaitingLayer[];
}

it("tells which folder a rule forbids to commit", async () => {
  const runtime = open({ config: { mode: "auto", stateDir: fixture.stateDir } }, fixture);
  const command = "mkdir hidden; echo a >hidden/a; echo b >b";
  const { callId } = await runtime.call({ name: "shell_exec", arguments: { command, dry_run: true } });
  await runtime.close();
  const config = { files: { forbiddenPaths: ["hidden"] } };
  writeFileSync(join(fixture.workspace, "tenon.config.json"), JSON.stringify(config));
  const [layer] = await layersOf(callId);
  const { out } = await tenon("layers", "commit", layer?.id ?? "", "--yes");
  expect(out).toMatch(/^Committed: b\nNot committed: hidden \(.*\)\n$/);
  expect(existsSync(join(fixture.workspace, "hidden"))).toBe(false);
});

describe("tenon layers", () => {
  it("lists, shows, commits by path, and discards what was kept", async () => {
    const [layer] = await layersOf(ids.kept);
    const [other] = await layersOf(ids.other);
    expect([layer?.reason, layer?.entries, other?.entries]).toEqual(["dry run", 2, 1]);
    const id = layer?.id ?? "";
    const shown = await tenon("layers", "show", id);
    expect(shown.out).toContain("+a⟨U+202E⟩");
    expect(shown.out).toContain("later.txt");
    expect((await tenon("layers", "show", id, "new.txt")).out).not.toContain("later.txt\n");

    for (const command of ["show", "commit", "discard"]) {
      const path = command === "discard" ? ["--path", "missing"] : ["missing"];
      expect(await tenon("layers", command, id, ...path)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining("The layer has no changes at these paths."),
      });
    }

    expect((await tenon("layers", "commit", id)).err).toContain("Pass --yes");
    expect(existsSync(join(fixture.workspace, "new.txt"))).toBe(false);
    expect(await tenon("layers", "commit", id, "new.txt", "--yes")).toMatchObject({
      code: 0,
      out: "Committed: new.txt\n",
    });
    expect(readFileSync(join(fixture.workspace, "new.txt"), "utf8")).toBe("a\u202E\n");
    expect(existsSync(join(fixture.workspace, "later.txt"))).toBe(false);
    // What was not selected still waits; with the last path the layer is gone.
    expect(await layersOf(ids.kept)).toHaveLength(1);
    expect(await tenon("layers", "discard", id, "--path", "later.txt")).toMatchObject({
      code: 0,
      out: "Discarded: later.txt\n",
    });
    expect(await layersOf(ids.kept)).toEqual([]);

    expect(await tenon("undo", "--call", ids.kept, "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(join(fixture.workspace, "new.txt"))).toBe(false);

    expect(await tenon("layers", "discard", other?.id ?? "")).toMatchObject({ code: 0 });
    expect((await tenon("layers", "list")).out).toBe("No layers.\n");
    expect(existsSync(join(fixture.workspace, "other.txt"))).toBe(false);
    expect((await tenon("layers", "show", id)).err).toContain("not found");
  });
});
