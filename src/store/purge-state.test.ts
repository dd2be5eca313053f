import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { JournalStep } from "../contract/ports/journal.js";
import type { State } from "./open-state.js";
import { purgeState, type StatePurged } from "./purge-state.js";
import { fixturesOfTest, sqliteFixture } from "./testing/drivers.js";

const newFixture = fixturesOfTest();
const secret = 'to be "forgotten"';
const nothing: StatePurged = { values: 0, sessions: 0, approvals: 0, outputs: 0, journal: 0 };
let state: State;
let outputs: string;

beforeEach(async () => {
  state = await (await newFixture(sqliteFixture)).open();
  outputs = join(state.dir, "outputs");
  mkdirSync(outputs);
});

async function keepApproval(id: string, text: string, isAnswered = true): Promise<void> {
  const request = { id, toolName: "t", arguments: { text }, reason: "-", sessionId: `session of ${id}` };
  await state.approvals.open(request as never);
  if (isAnswered) await state.approvals.resolve(id, { verdict: "once" });
}

function keepOutput(handle: string, text: string): void {
  writeFileSync(join(outputs, `${handle}.out`), text);
  writeFileSync(join(outputs, `${handle}.json`), JSON.stringify({ sessionId: `session of ${handle}` }));
}

async function keepChange(path: string, step: Partial<JournalStep>): Promise<void> {
  const set = { kind: "set", path, before: null, after: null, temp: `${path}.tmp`, ...step } as JournalStep;
  const change = {
    op: "write",
    step: set,
    sizeBefore: null,
    sizeAfter: 1,
    implied: false,
    blobs: [],
  } as const;
  const origin = { callId: path, sessionId: "s", tool: "write_file" };
  const id = await state.journal.begin({ kind: "change", origin, time: 1, changes: [change] });
  await state.journal.commit(id, [set]);
  await state.journal.finish(id);
}

const left = async (): Promise<unknown> => ({
  values: await state.kv("n").list(),
  sessions: (await state.sessions.list()).map(({ name }) => name).toSorted(),
  approvals: [await state.approvals.get("with"), await state.approvals.get("without")].map(Boolean),
  outputs: ["with", "without"].map((name) => existsSync(join(outputs, `${name}.out`))),
});

describe("a purge of texts", () => {
  beforeEach(async () => {
    await state.kv("n").set("a", { deep: [secret] });
    await state.kv("n").set(`key ${secret}`, 1);
    await state.kv("n").set("other", "harmless");
    await state.sessions.save("with", { env: { A: secret }, data: {} });
    await state.sessions.save("without", { env: {}, data: {} });
    await keepApproval("with", secret);
    await keepApproval("without", "harmless");
    keepOutput("with", `… ${secret} …`);
    keepOutput("without", "harmless");
  });

  it("removes what holds them, as they are or written as JSON, and nothing else", async () => {
    const found = { values: 2, sessions: 1, approvals: 1, outputs: 1, journal: 0 };
    const everything = await left();
    expect(await purgeState(state, { texts: [secret], dryRun: true })).toEqual(found);
    expect(await left()).toEqual(everything);
    expect(await purgeState(state, { texts: [secret] })).toEqual(found);
    expect(await left()).toEqual({
      values: ["other"],
      sessions: ["without"],
      approvals: [false, true],
      outputs: [false, true],
    });
    expect(existsSync(join(outputs, "with.json"))).toBe(false);
    expect(await purgeState(state, { texts: [secret] })).toEqual(nothing);
    await state.close();
    expect(readFileSync(join(state.dir, "state.db")).includes("forgotten")).toBe(false);
  });

  it("finds nothing where no text is given", async () => {
    expect(await purgeState(state, {})).toEqual(nothing);
  });

  it("leaves approvals that nobody has answered", async () => {
    await keepApproval("open", secret, false);
    expect(await purgeState(state, { texts: [secret] })).toMatchObject({ approvals: 1 });
    expect(await state.approvals.get("open")).toBeDefined();
  });
});

describe("a purge of a session", () => {
  it("removes what belongs to it", async () => {
    for (const id of ["one", "two"]) {
      await state.kv(`session-seen:session of ${id}`).set("seen", id);
      await state.sessions.save(`session of ${id}`, { env: {}, data: {} });
      await keepApproval(id, "-");
      keepOutput(id, "-");
    }
    const found = { values: 1, sessions: 1, approvals: 1, outputs: 1, journal: 0 };
    expect(await purgeState(state, { sessionId: "session of one", dryRun: true })).toEqual(found);
    expect(await purgeState(state, { sessionId: "session of one" })).toEqual(found);
    expect(await state.kv("session-seen:session of two").get("seen")).toBe("two");
    expect((await state.sessions.list()).map(({ name }) => name)).toEqual(["session of two"]);
    expect(await state.approvals.get("two")).toBeDefined();
    expect(existsSync(join(outputs, "two.json"))).toBe(true);
    expect(await purgeState(state, { sessionId: "session of one" })).toEqual(nothing);
  });
});

describe("a purge of what is old", () => {
  it("goes by when something was kept", async () => {
    await state.kv("n").set("a", 1);
    await state.sessions.save("s", { env: {}, data: {} });
    await keepApproval("a", "-");
    keepOutput("new", "-");
    keepOutput("old", "-");
    for (const end of ["out", "json"]) utimesSync(join(outputs, `old.${end}`), 1000, 1000);
    expect(await purgeState(state, { before: 1_000_001 })).toEqual({ ...nothing, outputs: 1 });
    expect(existsSync(join(outputs, "new.out"))).toBe(true);
    const found = { values: 0, sessions: 1, approvals: 1, outputs: 1, journal: 0 };
    expect(await purgeState(state, { before: Date.now() + 60_000 })).toEqual(found);
  });
});

describe("a purge of the journal", () => {
  const file = (hash: string, more = {}) => ({ type: "file", hash, size: 1, mode: 0o644, ...more }) as never;

  it("clears the changes that hold the text, and their contents, only where that was asked", async () => {
    const { hash } = await state.blobs.put(Buffer.from(`before ${secret} after`));
    const { hash: harmless } = await state.blobs.put(Buffer.from("harmless"));
    const stored = join(state.dir, "moved");
    mkdirSync(join(stored, "deep"), { recursive: true });
    writeFileSync(join(stored, "deep/file"), secret);
    const middle = { bytes: Buffer.from(secret).toString("base64") };
    await keepChange("/before", { before: file(hash) });
    await keepChange("/after", { after: file(hash) });
    await keepChange("/link", { after: { type: "symlink", target: secret } as never });
    await keepChange("/folder", { before: { type: "directory", manifest: hash } as never });
    await keepChange("/delta", { before: file(harmless, { delta: { middle } }) });
    await keepChange("/delta-of-blob", { before: file(harmless, { delta: { middle: { hash } } }) });
    await keepChange("/move", { kind: "move", from: "/x", to: "/moved", overwritten: file(hash) } as never);
    await keepChange("/stored", { kind: "rename", into: "store", stored } as never);
    await keepChange("/harmless", { before: file(harmless), after: file(harmless) });
    expect(await purgeState(state, { texts: [secret] })).toEqual(nothing);
    const request = { texts: [secret], journal: true };
    expect(await purgeState(state, { ...request, dryRun: true })).toEqual({ ...nothing, journal: 9 });
    expect(state.blobs.has(hash)).toBe(true);
    await purgeState(state, request);
    expect(state.blobs.has(hash)).toBe(false);
    expect(state.blobs.has(harmless)).toBe(true);
    const changes = await state.journal.history({});
    expect(changes.map(({ path }) => path)).toEqual(["/harmless"]);
  });
});
