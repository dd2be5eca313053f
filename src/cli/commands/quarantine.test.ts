import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createFixture, open, type Fixture } from "../../../test/spine-fixture.js";
import type { HeldItem } from "../../contract/ports/quarantine.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

let fixture: Fixture;
let callId: string;

const tenon = (...args: string[]): Promise<Ended> =>
  runTenon(args, { cwd: fixture.workspace, env: { TENON_STATE_DIR: fixture.stateDir } });

beforeEach(async () => {
  fixture = createFixture();
  const runtime = open(
    { config: { mode: "auto", stateDir: fixture.stateDir, sandbox: { layers: { enabled: false } } } },
    fixture,
  );
  const command = `python3 -c 'open(".npmrc","w").write("a=1\\u202e\\n"); open(".envrc","w").write("x")'`;
  const envelope = await runtime.call({ name: "shell_exec", arguments: { command } });
  callId = envelope.callId;
  await runtime.close();
});

describe("tenon quarantine", () => {
  it("lists, shows, restores and discards what was held back", async () => {
    const { out } = await tenon("quarantine", "list", "--json");
    const items = JSON.parse(out) as HeldItem[];
    expect(items.map(({ path }) => basename(path)).toSorted()).toEqual([".envrc", ".npmrc"]);
    const npmrc = items.find(({ path }) => path.endsWith(".npmrc"))!;
    expect((await tenon("quarantine", "list", "--call", callId)).out).toContain(npmrc.id);

    const shown = await tenon("quarantine", "show", npmrc.id);
    expect(shown.out).toContain("+a=1⟨U+202E⟩");

    expect((await tenon("quarantine", "restore", npmrc.id)).err).toContain("Pass --yes");
    expect(existsSync(join(fixture.workspace, ".npmrc"))).toBe(false);
    expect(await tenon("quarantine", "restore", npmrc.id, "--yes")).toMatchObject({ code: 0 });
    expect(readFileSync(join(fixture.workspace, ".npmrc"), "utf8")).toBe("a=1\u202E\n");

    expect(await tenon("quarantine", "discard", "--call", callId)).toMatchObject({ code: 0 });
    expect((await tenon("quarantine", "list")).out).toBe("No held changes.\n");
    expect((await tenon("quarantine", "show", npmrc.id)).err).toContain("not found");
    expect((await tenon("quarantine", "restore")).err).toContain("--call");
  });
});
