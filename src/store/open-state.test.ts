import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dialectOf } from "./dialect.js";
import { changeBeforeSql } from "./journal-rows.js";
import { migrate, migrations } from "./migrations.js";
import type { Migration } from "./migrations/migration.js";
import { versionOf } from "./open-file.js";
import { databaseFile } from "./open-database.js";
import { openState, type State } from "./open-state.js";
import { openSqlite } from "./sqlite-database.js";
import { connectSqlite, hasBuiltIn } from "./sqlite-driver.js";
import { openStateDir } from "./state-dir.js";
import { systemClock } from "../contract/system-clock.js";

let base: string;
let stateDir: string;
let workspace: string;
const opened: State[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-state-"));
  stateDir = join(base, "state");
  workspace = join(base, "workspace");
  mkdirSync(workspace);
});

afterEach(async () => {
  for (const state of opened.splice(0)) await state.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(): Promise<State> {
  const state = await openState({ stateDir, workspace });
  opened.push(state);
  return state;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe("openState", () => {
  it("keeps values from one opening to the next", async () => {
    const first = await open();
    await first.kv("tool").set("a", { n: 1 });
    await first.close();
    const second = await open();
    expect(await second.kv("tool").get("a")).toEqual({ n: 1 });
    expect(second.warnings).toEqual([]);
  });

  it("leaves nothing open when it is closed, nor where it could not be opened", async () => {
    const openFiles = (): string[] =>
      readdirSync("/proc/self/fd").flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)];
        } catch {
          return []; // the one that was used for looking
        }
      });
    const state = await open();
    await state.rules.add({ effect: "allow" });
    await state.rules.list();
    await expect(state.sql.transaction((tx) => tx.run("DELETE FROM nowhere"))).rejects.toThrow(/nowhere/);
    expect(openFiles().filter((file) => file.startsWith(base))).not.toEqual([]);
    await state.close();
    expect(openFiles().filter((file) => file.startsWith(base))).toEqual([]);
    expect(readdirSync(state.dir).filter((name) => /-(?:wal|shm)$/.test(name))).toEqual([]);
    writeFileSync(databaseFile(state.dir), "not a database, but long enough to be looked at".repeat(9));
    await (await open()).close();
    expect(openFiles().filter((file) => file.startsWith(base))).toEqual([]);
  });

  it("gives each workspace a state of its own, by its real path", async () => {
    const first = await open();
    symlinkSync(workspace, join(base, "link"));
    const linked = await openState({ stateDir, workspace: join(base, "link") });
    opened.push(linked);
    const other = await openState({ stateDir, workspace: base });
    opened.push(other);
    expect(linked.dir).toBe(first.dir);
    expect(other.dir).not.toBe(first.dir);
  });

  it("lets nobody else in: directories 0700, files 0600, whatever the umask", async () => {
    const before = process.umask(0);
    try {
      const state = await open();
      await state.kv("x").set("k", 1);
      await state.blobs.put(Buffer.from("secret"));
      expect(modeOf(stateDir)).toBe(0o700);
      expect(modeOf(state.dir)).toBe(0o700);
      expect(modeOf(join(state.dir, "blobs"))).toBe(0o700);
      const files = readdirSync(state.dir, { recursive: true, withFileTypes: true }).filter((e) =>
        e.isFile(),
      );
      expect(files.length).toBeGreaterThanOrEqual(3);
      for (const file of files)
        expect([file.name, modeOf(join(file.parentPath, file.name))]).toEqual([file.name, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  it("closes a directory that was open to others", async () => {
    mkdirSync(stateDir, { mode: 0o755 });
    await open();
    expect(modeOf(stateDir)).toBe(0o700);
  });

  it("runs with a write-ahead log and foreign keys, and passes its own integrity check", async () => {
    const state = await open();
    expect(await state.integrity()).toEqual({ ok: true, problems: [] });
    expect(readFileSync(join(state.dir, "state.db")).readUInt8(18)).toBe(2);
  });

  it("says that it is closed after close", async () => {
    const state = await open();
    await state.close();
    await expect(state.kv("x").get("k")).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
    await expect(state.kv("x").set("k", 1)).rejects.toMatchObject({ code: "RUNTIME_CLOSED" });
  });

  it("says why a state directory cannot be used", async () => {
    writeFileSync(join(base, "file"), "");
    const opening = openState({ stateDir: join(base, "file", "below"), workspace });
    await expect(opening).rejects.toMatchObject({ code: "STATE_UNAVAILABLE" });
  });
});

describe("a database from the future", () => {
  it("is refused clearly and not touched", async () => {
    const state = await open();
    const file = join(state.dir, "state.db");
    await state.close();
    const raw = connectSqlite(file);
    raw.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    raw.close();
    const before = readFileSync(file);
    const names = readdirSync(state.dir).sort();
    await expect(open()).rejects.toMatchObject({
      code: "STATE_TOO_NEW",
      message: expect.stringContaining(`schema version ${migrations.length + 1}`),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(state.dir).sort()).toEqual(names);
  });

  it("is refused too where only the write-ahead log knows of it", async () => {
    const state = await open();
    const raw = connectSqlite(join(state.dir, "state.db"));
    raw.exec(`PRAGMA user_version = ${migrations.length + 7}`);
    await expect(open()).rejects.toMatchObject({ code: "STATE_TOO_NEW" });
    raw.exec(`PRAGMA user_version = ${migrations.length}`);
    raw.close();
  });
});

describe("a damaged database", () => {
  it.each([
    ["no database at all", Buffer.from("this is not a database, but it is longer than a header".repeat(9))],
    ["a stub of a header", Buffer.from("SQLite format 3\0")],
    [
      "a right header and rubbish",
      Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(9000, 0x5a)]),
    ],
  ])("is set aside unharmed, and that is said: %s", async (_, content) => {
    const state = await open();
    await state.close();
    const file = join(state.dir, "state.db");
    writeFileSync(file, content);
    const again = await open();
    expect(again.warnings).toHaveLength(1);
    expect(again.warnings[0]).toMatch(/damaged.*set aside as .*state\.db\.damaged-/s);
    const kept = readdirSync(state.dir).find((name) => /damaged-[^.]*$/.test(name) && !name.endsWith("-wal"));
    expect(readFileSync(join(state.dir, kept ?? "")).equals(content)).toBe(true);
    await again.kv("x").set("k", 1);
    expect(await again.kv("x").get("k")).toBe(1);
  });

  it("is set aside once where several openings meet it at the same time", async () => {
    const state = await open();
    await state.close();
    writeFileSync(join(state.dir, "state.db"), Buffer.alloc(5000, 1));
    const states = await Promise.all([open(), open(), open()]);
    await states[0]?.kv("x").set("k", "kept");
    expect(await states[2]?.kv("x").get("k")).toBe("kept");
    expect(readdirSync(state.dir).filter((name) => /damaged-[^.]*Z$/.test(name))).toHaveLength(1);
  });

  it("is found at the next start where a query met the damage", async () => {
    const state = await open();
    const file = join(state.dir, "state.db");
    for (let n = 0; n < 200; n += 1) await state.kv("x").set(`key-${n}`, "v".repeat(500));
    await state.close();
    const bytes = readFileSync(file);
    // The values came last; the tables themselves lie before them.
    bytes.fill(0xee, bytes.length - 4096 * 20, bytes.length);
    writeFileSync(file, bytes);
    rmSync(`${file}-wal`, { force: true });
    const hurt = await open();
    const readAll = async (): Promise<void> => {
      for (let n = 0; n < 200; n += 1) await hurt.kv("x").get(`key-${n}`);
    };
    await expect(readAll()).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await hurt.close();
    const healed = await open();
    expect(healed.warnings).toHaveLength(1);
    expect(await healed.integrity()).toMatchObject({ ok: true });
  });
});

function step(...statements: string[]): Migration {
  return { name: "step", tables: [], statements: () => statements };
}

describe("a state of an older version", () => {
  it("is taken forward and keeps its rows", async () => {
    const { dir } = openStateDir(stateDir, workspace);
    const raw = connectSqlite(databaseFile(dir));
    for (const statement of migrations[0]?.statements(dialectOf("sqlite")) ?? []) raw.exec(statement);
    raw.exec("INSERT INTO kv VALUES ('x', 'k', '7', 2); INSERT INTO kv_usage VALUES ('x', 1, 2)");
    raw.exec("INSERT INTO journal_entries VALUES (5, 'change', 'done', 'c', NULL, 's', 't', 1, NULL)");
    raw.exec("PRAGMA user_version = 1");
    raw.close();
    const state = await open();
    expect(await state.kv("x").get("k")).toBe(7);
    expect(await state.journal.usage()).toEqual({ entries: 1, bytes: 0 });
    expect(state.warnings).toEqual([]);
    const version = await state.sql.get("PRAGMA user_version");
    expect(version).toMatchObject({ user_version: migrations.length });
  });
});

describe("the journal's rows", () => {
  it("tell the change of a path before another one without sorting all of its changes", async () => {
    const state = await open();
    const plan = await state.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${changeBeforeSql}`, [
      "place",
      "/w/a",
      5,
      5,
      0,
    ]);
    const details = plan.map(({ detail }) => detail);
    expect(details).toContainEqual(expect.stringContaining("journal_changes_path"));
    expect(details.filter((detail) => detail.includes("TEMP B-TREE") || detail.startsWith("SCAN"))).toEqual(
      [],
    );
  });
});

describe("a state in memory", () => {
  it("works like another and leaves no database behind", async () => {
    const state = await openState({ stateDir, workspace, database: ":memory:" });
    opened.push(state);
    await state.kv("x").set("k", 1);
    expect(await state.kv("x").get("k")).toBe(1);
    expect(await state.integrity()).toEqual({ ok: true, problems: [] });
    await state.close();
    expect(readdirSync(state.dir)).toEqual(["blobs"]);
  });
});

describe("migrate", () => {
  it("takes an old schema forward, step by step, and keeps its rows", async () => {
    const file = join(base, "m.db");
    const database = openSqlite({ file, clock: systemClock });
    const migrateTo = (...steps: Migration[]): Promise<void> =>
      database.transaction((tx) => migrate(tx, versionOf(file), steps));
    const first = step("CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (1)");
    const second = step("ALTER TABLE a ADD COLUMN m INTEGER DEFAULT 2");
    await migrateTo(first);
    await migrateTo(first, second);
    await migrateTo(first, second);
    expect({ ...(await database.get<object>("SELECT * FROM a")) }).toEqual({ n: 1, m: 2 });
    await database.close();
  });

  it("leaves the schema as it was where a step fails", async () => {
    const file = join(base, "m.db");
    const database = openSqlite({ file, clock: systemClock });
    const steps = [step("CREATE TABLE a (n INTEGER)"), step("CREATE GARBAGE")];
    await expect(database.transaction((tx) => migrate(tx, versionOf(file), steps))).rejects.toThrow(
      /GARBAGE/,
    );
    expect(await database.all("SELECT name FROM sqlite_master")).toEqual([]);
    await database.close();
  });
});

describe("hasBuiltIn", () => {
  it.each([
    ["20.20.2", false],
    ["22.12.0", false],
    ["22.13.0", true],
    ["23.3.0", false],
    ["23.4.0", true],
    ["24.0.0", true],
  ])("knows whether Node %s has SQLite inside", (version, expected) => {
    expect(hasBuiltIn(version)).toBe(expected);
  });
});
