import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangeRecord } from "../contract/ports/journal.js";
import type { LayerView, WaitingLayer } from "../contract/ports/layers.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;
let stateDir: string;
beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), "tenon-layers-state-"));
  const config = { mode: "auto", stateDir, sandbox: { layers: { enabled: true } } } as const;
  at = await openTestServer({ tenonOptions: { config } });
});
afterAll(async () => {
  await at.close();
  rmSync(stateDir, { recursive: true, force: true });
});

async function dryRun(command: string): Promise<WaitingLayer> {
  const { callId } = await at.tenon.call({ name: "shell_exec", arguments: { command, dry_run: true } });
  const [layer] = (await at.ask(`/api/layers?callId=${callId}`)).body as WaitingLayer[];
  if (layer === undefined) throw new Error("no layer");
  return layer;
}

const exists = (path: string): boolean => existsSync(join(at.workspace, path));

describe("waiting changes of commands over the API", () => {
  it("are listed and shown with their diff, and committed by path or as a whole", async () => {
    const { id, callId } = await dryRun("mkdir d; echo one >d/a; echo two >d/b; echo three >c");
    const view = (await at.ask(`/api/layers/${id}`)).body as LayerView;
    expect(view.changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "added c",
      "added d/a",
      "added d/b",
    ]);
    expect(view.diff).toContain("+three");
    expect((await at.post(`/api/layers/${id}/commit`, { paths: ["d/a"] })).body).toMatchObject({
      heldBack: [],
      conflicts: [],
    });
    expect([exists("d/a"), exists("d/b"), exists("c")]).toEqual([true, false, false]);
    expect((await at.post(`/api/layers/${id}/commit`, {})).status).toBe(200);
    expect(readFileSync(join(at.workspace, "d/b"), "utf8")).toBe("two\n");
    expect((await at.ask(`/api/layers/${id}`)).status).toBe(404);
    // The command's own call has them too, to be undone by it.
    const changed = (await at.ask(`/api/changes?callId=${callId}`)).body as ChangeRecord[];
    expect(new Set(changed.map(({ tool }) => tool))).toEqual(new Set(["layers_commit"]));
    expect((await at.ask(`/api/log/${callId}/shown`)).body).toMatchObject({ changes: changed.length });
  });

  it("are discarded by path or as a whole, and the log says who decided", async () => {
    const { id } = await dryRun("mkdir -p e/f; echo 1 >e/f/x; echo 2 >e/y; rm -rf d; echo 4 >c; chmod 700 .");
    expect((await at.post(`/api/layers/${id}/discard`, { paths: ["e/f/", "d"] })).status).toBe(200);
    const left = (await at.ask(`/api/layers/${id}`)).body as LayerView;
    expect(left.changes.map(({ path }) => path)).toEqual(["c", "e/y"]);
    expect((await at.post(`/api/layers/${id}/commit`, {})).status).toBe(200);
    expect([exists("e/f"), exists("e/y"), exists("d/a")]).toEqual([false, true, true]);
    const other = await dryRun("echo never >never");
    expect((await at.post(`/api/layers/${other.id}/discard`, {})).status).toBe(200);
    expect((await at.ask("/api/layers")).body).toEqual([]);
    expect(exists("never")).toBe(false);
    const acts = await at.tenon.audit.search({ tool: "layers_*" });
    expect(acts.map(({ tool, outcome }) => `${tool} ${outcome}`).slice(0, 3)).toEqual([
      "layers_discard success",
      "layers_commit success",
      "layers_discard success",
    ]);
  });

  it("are not committed over what somebody else wrote after the person looked", async () => {
    const { id } = await dryRun("echo mine >c");
    const { seenNs } = (await at.ask(`/api/layers/${id}`)).body as LayerView;
    const write = (): boolean => {
      writeFileSync(join(at.workspace, "c"), "theirs\n");
      return lstatSync(join(at.workspace, "c"), { bigint: true }).ctimeNs > BigInt(seenNs);
    };
    // The clock of a file system stands still for some milliseconds.
    await expect.poll(write).toBe(true);
    const { body } = await at.post(`/api/layers/${id}/commit`, { seenNs });
    expect(body).toMatchObject({ committed: "none", conflicts: [{ path: "c" }] });
    expect(readFileSync(join(at.workspace, "c"), "utf8")).toBe("theirs\n");
    expect((await at.post(`/api/layers/${id}/commit`, { seenNs: "now" })).status).toBe(400);
    await at.post(`/api/layers/${id}/discard`, {});
  });

  it("refuses what is not a layer or not a path", async () => {
    expect((await at.ask("/api/layers/..%2f..%2fetc")).status).toBe(404);
    expect((await at.post("/api/layers/layer_none/commit", {})).status).toBe(404);
    expect((await at.post("/api/layers/layer_none/discard", { paths: [] })).status).toBe(400);
    expect((await at.post("/api/layers/layer_none/discard", { path: "a" })).status).toBe(400);
    const { id } = await dryRun("echo x >x");
    await at.post(`/api/layers/${id}/discard`, { paths: ["../x", "/etc/passwd", "x/../.."] });
    expect(((await at.ask(`/api/layers/${id}`)).body as LayerView).changes).toHaveLength(1);
  });
});
