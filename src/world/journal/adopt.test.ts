import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Adoption } from "./plan-adoptions.js";
import { adoptedEntry, adoptedSource, layerAdoptions, plantLayer } from "./testing/layer-changes.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let world: World;
let before: Record<string, string>;

beforeEach(async () => {
  base = tempDir("adopt");
  plantLayer(base);
  before = snapshot(join(base, "ws"));
  world = await openWorld(base);
});

afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const now = (): Record<string, string> => snapshot(world.root);
const adoptAll = (callId = "command"): Promise<number> =>
  world.journal.adopt(async () => layerAdoptions(base), origin(callId, "task"));
const inWorkspace = (path: string): string => join(base, "ws", path);

describe("adopting what a command changed", () => {
  it("puts every kind of change into the workspace, and undoes and redoes it exactly", async () => {
    await adoptAll();
    const after = now();
    expect(readFileSync(inWorkspace("changed"), "utf8")).toBe("after\n");
    expect(after["changed"]).toMatch(/^file 755/);
    expect(after["new-tree/\xff\xfe"]).toBeDefined();
    expect(after["gone-tree"]).toBeUndefined();
    expect(Object.keys(after).filter((path) => path.startsWith("replaced-tree/"))).toEqual([
      "replaced-tree/new",
    ]);
    expect(after["mode"]).toBe("directory 700");
    const inodes = execFileSync("stat", ["-c", "%i", "second", "deep/file"], {
      cwd: inWorkspace("new-tree"),
    });
    expect(new Set(inodes.toString().trim().split("\n")).size).toBe(1);

    await world.journal.undo({ callId: "command" }, origin("undo"));
    expect(now()).toEqual(before);
    await world.journal.undo({ callId: "undo" }, origin("redo"));
    expect(now()).toEqual(after);
    await world.journal.undo({ callId: "redo" }, origin());
    expect(now()).toEqual(before);
  });

  it("waits between the intent and the first step, and leaves nothing if it is given up then", async () => {
    const path = inWorkspace("made");
    const made: Adoption = { path, text: "made", op: "create", before: null, mode: 0o755, bulk: false };
    const adopt = (ready: () => Promise<void>) =>
      world.journal.adopt(async () => [...layerAdoptions(base), made], origin("command"), { ready });
    let intents = 0;
    const look = async (): Promise<void> => {
      intents = (await world.state.journal.unfinished()).length;
      expect(now()).toEqual(before);
    };
    const layer = snapshot(join(base, "layer"));
    await expect(adopt(() => look().then(() => Promise.reject(new Error("given up"))))).rejects.toThrow(
      "given up",
    );
    expect(intents).toBe(1);
    expect(await world.state.journal.unfinished()).toEqual([]);
    expect(now()).toEqual(before);
    expect(snapshot(join(base, "layer"))).toEqual(layer);
    await adopt(look);
    expect(readFileSync(inWorkspace("changed"), "utf8")).toBe("after\n");
    await world.journal.undo({ callId: "command" }, origin());
    expect(now()).toEqual(before);
  });

  it("undoes a new folder that changed until the first step, but not one in which somebody wrote right after it", async () => {
    // A sandbox that ends removes attributes of files, for example.
    const ready = async (): Promise<void> => chmodSync(join(base, "layer/replaced-tree/new"), 0o600);
    await world.journal.adopt(async () => layerAdoptions(base), origin("command"), { ready });
    await world.journal.undo({ callId: "command" }, origin("undo"));
    expect(now()).toEqual(before);
    await world.journal.undo({ callId: "undo" }, origin("redo"));
    writeFileSync(inWorkspace("replaced-tree/new"), "own\n");
    const undone = world.journal.undo({ callId: "redo" }, origin());
    await expect(undone).rejects.toMatchObject({ code: "FILE_CONFLICT" });
  });

  it("lists the changes in the history without the places where files are kept", async () => {
    await adoptAll();
    const history = await world.journal.history();
    expect(history.map(({ path }) => path).toSorted()).toEqual(
      layerAdoptions(base)
        .map(({ text }) => text)
        .toSorted(),
    );
    expect(history.every(({ from }) => from === undefined)).toBe(true);
    const changed = history.find(({ path }) => path === "changed");
    expect(changed).toMatchObject({ op: "write", sizeBefore: 7, sizeAfter: 6 });
    expect(history.find(({ path }) => path === "replaced-tree")).toMatchObject({ sizeBefore: 0 });
  });

  it("undoes one path of several", async () => {
    await adoptAll();
    await world.journal.undo({ path: "changed" }, origin());
    expect(readFileSync(inWorkspace("changed"), "utf8")).toBe("before\n");
    expect(readFileSync(inWorkspace("new-file"), "utf8")).toBe("new file\n");
  });

  it("undoes a task of a command and later edits in its new folder", async () => {
    await adoptAll();
    const data = Buffer.from("edited\n");
    await world.journal.apply([{ op: "write", path: "replaced-tree/new", data }], origin("edit", "task"));
    await world.journal.apply([{ op: "write", path: "new-tree/more", data }], origin("edit-2", "task"));
    await world.journal.undo({ taskId: "task" }, origin());
    expect(now()).toEqual(before);
  });

  it("undoes a task of two commands, of which the second wrote in the new folder of the first", async () => {
    await adoptAll();
    const place = inWorkspace("new-tree/added");
    const source = join(base, "layer/added");
    writeFileSync(source, "added\n");
    const adoption: Adoption = {
      path: place,
      text: "new-tree/added",
      op: "create",
      before: null,
      bulk: false,
    };
    await world.journal.adopt(
      async () => [{ ...adoption, from: adoptedSource(source) }],
      origin("second", "task"),
    );
    await expect(world.journal.undo({ callId: "command" }, origin())).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    await world.journal.undo({ taskId: "task" }, origin());
    expect(now()).toEqual(before);
  });

  it("undoes a command after a later edit in its new folder was undone by itself", async () => {
    await adoptAll();
    const data = Buffer.from("edited\n");
    await world.journal.apply([{ op: "write", path: "replaced-tree/new", data }], origin("edit"));
    await world.journal.undo({ callId: "edit" }, origin());
    await world.journal.undo({ callId: "command" }, origin());
    expect(now()).toEqual(before);
  });

  it("undoes two commands that changed the same file", async () => {
    await adoptAll();
    const middle = now();
    mkdirSync(join(base, "layer/new-tree"), { recursive: true });
    writeFileSync(join(base, "layer/new-tree/second"), "by the second command\n");
    const again = {
      path: inWorkspace("new-tree/second"),
      text: "new-tree/second",
      op: "write",
      bulk: false,
    } as const;
    await world.journal.adopt(
      async () => [
        {
          ...again,
          from: adoptedSource(join(base, "layer/new-tree/second")),
          before: adoptedEntry(again.path),
        },
      ],
      origin("second", "task"),
    );
    await world.journal.undo({ callId: "second" }, origin("undo-second"));
    expect(now()).toEqual(middle);
    await world.journal.undo({ callId: "undo-second" }, origin());
    await world.journal.undo({ taskId: "task" }, origin());
    expect(now()).toEqual(before);
  });

  it("refuses the undo of a new folder in which somebody else wrote a file, and of a changed file", async () => {
    await adoptAll();
    const after = now();
    writeFileSync(inWorkspace("new-tree/by-others"), "theirs\n");
    await expect(world.journal.undo({ callId: "command" }, origin())).rejects.toThrow(
      /"new-tree" was changed since/,
    );
    rmSync(inWorkspace("new-tree/by-others"));
    writeFileSync(inWorkspace("changed"), "theirs\n");
    await expect(world.journal.undo({ path: "changed" }, origin())).rejects.toMatchObject({
      message: expect.stringContaining('"changed" was changed since'),
      details: { diff: expect.stringContaining("+theirs") },
    });
    expect({ ...now(), changed: after["changed"] }).toEqual(after);
    await world.journal.undo({ callId: "command" }, origin("forced"), { force: true });
    expect(now()).toEqual(before);
    await world.journal.undo({ callId: "forced" }, origin());
    expect(readFileSync(inWorkspace("changed"), "utf8")).toBe("theirs\n");
  });

  it("undoes what somebody saved again as it was", async () => {
    await adoptAll();
    rmSync(inWorkspace("changed"));
    writeFileSync(inWorkspace("changed"), "after\n");
    await world.journal.undo({ path: "changed" }, origin());
    expect(readFileSync(inWorkspace("changed"), "utf8")).toBe("before\n");
  });

  it("previews the undo of a binary file that others changed as what it is, a conflict", async () => {
    writeFileSync(join(base, "layer/changed"), "by the command\0");
    await adoptAll();
    writeFileSync(inWorkspace("changed"), "by others\0");
    await expect(world.journal.previewUndo({ path: "changed" })).rejects.toThrow(
      /"changed" was changed since/,
    );
  });

  it("merges an undo with what others changed elsewhere in the file", async () => {
    const lines = (first: string, last: string): string =>
      [first, ...Array.from({ length: 20 }, (_, at) => `line ${at}`), last, ""].join("\n");
    writeFileSync(inWorkspace("changed"), lines("a", "b"));
    writeFileSync(join(base, "layer/changed"), lines("by the command", "b"));
    await adoptAll();
    writeFileSync(inWorkspace("changed"), lines("by the command", "by others"));
    const preview = await world.journal.previewUndo({ path: "changed" });
    expect(preview).toMatchObject({ files: [{ path: "changed", merged: true }] });
    const [file] = await world.journal.undo({ path: "changed" }, origin());
    expect(file).toMatchObject({ merged: true });
    expect(readFileSync(inWorkspace("changed"), "utf8")).toBe(lines("a", "by others"));
  });

  it.each(["link", "changed", "gone-tree"])("changes nothing if %s is no longer as judged", async (path) => {
    const adoptions = layerAdoptions(base);
    rmSync(inWorkspace(path), { recursive: true });
    writeFileSync(inWorkspace(path), "another\n");
    const theirs = now();
    await expect(world.journal.adopt(async () => adoptions, origin())).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    expect(now()).toEqual(theirs);
    expect(readdirSync(join(base, "layer"))).toContain("changed");
  });

  it("replaces a file at once, so that no reader misses it", async () => {
    const contents = new Set<string>();
    await world.close();
    world = await openWorld(base, {
      failpoint: () => contents.add(readFileSync(inWorkspace("changed"), "utf8")),
    });
    await adoptAll();
    expect(contents).toEqual(new Set(["before\n", "after\n"]));
  });

  it("takes everything back if a rename fails in the middle", async () => {
    let steps = 0;
    await world.close();
    world = await openWorld(base, {
      failpoint: (step) => {
        if (step === "stepped" && (steps += 1) === 7) writeFileSync(inWorkspace("dir-to-file-blocked"), "");
        if (step === "stepped" && steps === 7) throw new Error("full disk");
      },
    });
    const layer = snapshot(join(base, "layer"));
    await expect(adoptAll()).rejects.toThrow("full disk");
    rmSync(inWorkspace("dir-to-file-blocked"));
    expect(now()).toEqual(before);
    expect(snapshot(join(base, "layer"))).toEqual(layer);
  });

  it("takes everything back if what later merges need cannot be stored", async () => {
    const { blobs } = world.state;
    await world.close();
    world = await openWorld(base, {
      blobs: { ...blobs, put: () => Promise.reject(new Error("full disk")) },
    });
    await expect(adoptAll()).rejects.toThrow("full disk");
    expect(now()).toEqual(before);
    expect(await world.state.journal.unfinished()).toEqual([]);
  });

  it("stores what later merges need while the disk is waited for, before the change counts as done", async () => {
    const { blobs } = world.state;
    const events: string[] = [];
    await world.close();
    world = await openWorld(base, {
      blobs: {
        ...blobs,
        async put(data, options) {
          await new Promise((done) => setTimeout(done, 20));
          events.push("put");
          return blobs.put(data, options);
        },
      },
      failpoint: (step) => void events.push(step),
    });
    await adoptAll();
    expect(events.filter((event) => event === "put")).toEqual(["put"]);
    const end = events.slice(events.lastIndexOf("stepped") + 1);
    expect(end.slice(0, 3)).toEqual(["put", "stored", "taken"]);
  });

  it("takes back what it had put into the workspace where the layer of the command is gone", async () => {
    let steps = 0;
    await world.close();
    world = await openWorld(base, {
      failpoint: (step) => {
        if (step !== "stepped" || (steps += 1) < 7) return;
        rmSync(join(base, "layer"), { recursive: true });
        throw new Error("full disk");
      },
    });
    await expect(adoptAll()).rejects.toThrow("full disk");
    expect(now()).toEqual(before);
    expect(statSync(join(base, "layer")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(base, "layer/changed"), "utf8")).toBe("after\n");
  });

  it("creates a folder by itself where not all that is in it comes along, and undoes that", async () => {
    const folder = (path: string, mode: number): Adoption => {
      const place = inWorkspace(path);
      return { path: place, text: path, op: "create", before: adoptedEntry(place), bulk: false, mode };
    };
    const inner = { ...folder("alone/inner", 0), from: adoptedSource(join(base, "layer/new-file")) };
    const { mode: _, ...file } = inner;
    const adoptions = [folder("alone", 0o750), folder("alone/sub", 0o700), file];
    await world.journal.adopt(async () => adoptions, origin("folders"));
    expect(now()).toMatchObject({ alone: "directory 750", "alone/sub": "directory 700" });
    expect(readFileSync(inWorkspace("alone/inner"), "utf8")).toBe("new file\n");
    expect((await world.journal.history()).map(({ path, op }) => [path, op])).toContainEqual([
      "alone",
      "create",
    ]);
    await world.journal.undo({ callId: "folders" }, origin());
    expect(now()).toEqual(before);
  });

  it("refuses a folder or a mode where the workspace is not as the command found it", async () => {
    const place = inWorkspace("mode");
    const adoption = { path: place, text: "mode", bulk: false, mode: 0o700 } as const;
    const adopt = (rest: Pick<Adoption, "op" | "before">): Promise<number> =>
      world.journal.adopt(async () => [{ ...adoption, ...rest }], origin());
    await expect(adopt({ op: "create", before: null })).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    const found = adoptedEntry(place);
    rmSync(place, { recursive: true });
    await expect(adopt({ op: "mode", before: found })).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    await expect(adopt({ op: "mode", before: null })).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    expect(now()["mode"]).toBeUndefined();
  });

  it("drops what can be created again first, and undoes the rest", async () => {
    await world.close();
    world = await openWorld(base, { maxBulkBytes: 1 });
    await adoptAll();
    const undone = await world.journal.undo({ callId: "command" }, origin());
    const left = undone.filter(({ notRestored }) => notRestored !== undefined);
    expect(left.map(({ path }) => path)).toEqual(["replaced-tree"]);
    const current = now();
    expect(current["replaced-tree/new"]).toBeDefined();
    expect(current["changed"]).toEqual(before["changed"]);
  });

  it("removes what no change needs any more from the store", async () => {
    await adoptAll();
    const kept = (): number => readdirSync(join(base, "state/kept"), { recursive: true }).length;
    expect(kept()).toBeGreaterThan(5);
    await world.journal.clear();
    expect(readdirSync(join(base, "state/kept"))).toEqual(["bulk"]);
    expect(readdirSync(join(base, "state/kept/bulk"))).toEqual([]);
  });

  it("handles a directory that its owner may not enter", async () => {
    chmodSync(join(base, "layer/new-tree"), 0);
    await adoptAll();
    expect(now()["new-tree"]).toBe("directory 0");
    chmodSync(inWorkspace("new-tree"), 0o755);
  });
});
