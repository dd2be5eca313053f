import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolInternalError, ToolUnavailableError } from "../contract/errors.js";
import { systemClock } from "../contract/system-clock.js";
import { patiently, type Busy } from "./patiently.js";
import {
  codeOf,
  isCollision,
  isCrowded,
  isLost,
  timeoutError,
  toPostgresError,
  unknownCommitError,
} from "./postgres-error.js";
import { closedError, corruptError, isBusy, isCorrupt, overError, toStateError } from "./state-error.js";

/** An error as the driver of PostgreSQL, or the system, throws it. */
const serverError = (code: unknown, message = "why."): Error => Object.assign(new Error(message), { code });
/** An error as SQLite's driver throws it. */
const fileError = (errcode: unknown, message = "why"): Error =>
  Object.assign(new Error(message), { errcode });

describe("an error of PostgreSQL", () => {
  it.each([
    ["57P01", true],
    ["57P02", true],
    ["57P03", true],
    ["57P05", true],
    ["25P03", true],
    ["08006", true],
    ["08", true],
    ["ECONNRESET", true],
    ["ECONNREFUSED", true],
    ["ECONNABORTED", true],
    ["EPIPE", true],
    ["ENOTCONN", true],
    ["ETIMEDOUT", true],
    ["57014", false],
    ["40001", false],
    ["10800", false],
    [57, false],
    [undefined, false],
  ])("%s: the connection is lost: %s", (code, lost) => {
    expect(isLost(serverError(code))).toBe(lost);
  });

  it.each([
    ["Connection terminated unexpectedly", true],
    ["Client has encountered a connection error and is not queryable", true],
    ["Query read timeout", true],
    ["timeout expired", true],
    ["The Connection terminated", false],
    ["timeout", false],
  ])("%j: the connection is lost: %s", (message, lost) => {
    expect(isLost(new Error(message))).toBe(lost);
    expect(isLost(message)).toBe(false);
  });

  it("has a code only where it is a text of an error", () => {
    expect(codeOf(serverError("1"))).toBe("1");
    for (const other of [serverError(1), new Error("1"), { code: "1" }, undefined])
      expect(codeOf(other)).toBeUndefined();
    expect(["40001", "40P01", "40002"].map((code) => isCollision(serverError(code)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(["53300", "53100"].map((code) => isCrowded(serverError(code)))).toEqual([true, false]);
    expect([isCollision(new Error("x")), isCrowded(undefined)]).toEqual([false, false]);
  });

  it.each<[string, string, boolean | undefined, string, RegExp]>([
    ["XX001", "STATE_CORRUPT", undefined, "The state db is damaged: why.", /set aside/],
    ["XX002", "STATE_CORRUPT", undefined, "The state db is damaged: why.", /set aside/],
    ["22021", "VALUE_INVALID", undefined, "A text with a NUL character or an incomplete", /^Remove it\.$/],
    ["53100", "FILE_IO", true, "No space left for the state db.", /^Free some disk space on the server/],
    ["55P03", "STATE_BUSY", undefined, "The state db is busy: why.", /^Another process is writing/],
    ["53300", "STATE_BUSY", undefined, "The state db is busy: why.", /^Allow more connections/],
    ["28P01", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /the user and the password/],
    ["28000", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /pg_hba\.conf/],
    ["3D000", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /^Create the database/],
    ["42501", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /GRANT CREATE/],
    ["25006", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /primary server/],
    [
      "ENOTFOUND",
      "STATE_UNAVAILABLE",
      false,
      "The state db cannot be used: why.",
      /^Check the host in "database"\.$/,
    ],
    ["EAI_AGAIN", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /name service/],
    ["ENOENT", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /^Check the socket/],
    [
      "ECONNREFUSED",
      "STATE_UNAVAILABLE",
      true,
      "The state db cannot be used: why.",
      /^Check that the server runs/,
    ],
    ["other", "STATE_UNAVAILABLE", false, "The state db cannot be used: why.", /^Check "database"/],
  ])("%s becomes %s, and keeps nothing of the driver's", (code, own, retryable, message, hint) => {
    const error = toPostgresError(serverError(code), "db");
    expect(error.code).toBe(own);
    expect(error.message.startsWith(message)).toBe(true);
    expect(error.hint).toMatch(hint);
    expect(error.cause).toBeUndefined();
    if (retryable !== undefined) expect(error.retryable).toBe(retryable);
  });

  it.each<[unknown, string]>([
    [new AggregateError([serverError("ECONNREFUSED", "connect 1"), new Error("2")], ""), "connect 1"],
    [new AggregateError([], "all"), "all"],
    [serverError("E1", ""), "E1"],
    [new Error(""), "no reason given"],
    ["words.", "words"],
  ])("tells why: %s", (error, reason) => {
    expect(toPostgresError(error, "db").message).toBe(`The state db cannot be used: ${reason}.`);
  });

  it("that is one of ours stays as it is", () => {
    const own = unknownCommitError("db");
    expect(toPostgresError(own, "other")).toBe(own);
    expect([own.code, own.retryable]).toEqual(["STATE_UNAVAILABLE", false]);
    expect(own.message).toContain("state db was lost while a change was committed");
    expect(timeoutError("db", true)).toMatchObject({
      code: "STATE_BUSY",
      message: expect.stringContaining(" db "),
    });
    expect(isLost(timeoutError("db", false))).toBe(true);
  });
});

describe("an error of SQLite", () => {
  it.each([
    [5, "busy"],
    [6, "busy"],
    [5 | (2 << 8), "busy"],
    [11, "corrupt"],
    [26, "corrupt"],
    [11 | (1 << 8), "corrupt"],
    [8, "other"],
    [0, "other"],
    ["5", "other"],
    [undefined, "other"],
  ])("%s is %s, also behind one of ours", (code, kind) => {
    const behind = new ToolInternalError("x", { code: "INTERNAL", cause: fileError(code) });
    for (const error of [fileError(code), behind])
      expect([isBusy(error), isCorrupt(error)]).toEqual([kind === "busy", kind === "corrupt"]);
    expect(isBusy({ errcode: 5 })).toBe(false);
  });

  it.each<[unknown, string, string]>([
    [fileError(11), "STATE_CORRUPT", "The state f is damaged: why."],
    [fileError(5), "STATE_BUSY", "The state f is busy: why."],
    [fileError(13), "FILE_IO", "No space left for the state f."],
    [serverError("ENOSPC"), "FILE_IO", "No space left for the state f."],
    [fileError(10), "STATE_UNAVAILABLE", "The state f cannot be used: "],
    [fileError(1), "STATE_UNAVAILABLE", "The state f cannot be used: "],
    ["words", "STATE_UNAVAILABLE", "The state f cannot be used: "],
  ])("%s becomes %s", (thrown, code, message) => {
    const error = toStateError(thrown, "f");
    expect(error.code).toBe(code);
    expect(error.message.startsWith(message)).toBe(true);
    expect(error.cause).toBe(thrown);
    expect(error.hint).toMatch(/\.$/);
    if (code === "FILE_IO") expect(error.retryable).toBe(true);
  });

  it("of a disk counts as a full one only where there is no room", () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-errors-"));
    expect(toStateError(fileError(10), join(folder, "file")).code).toBe("STATE_UNAVAILABLE");
    rmSync(folder, { recursive: true });
    expect(toStateError(fileError(10), join(folder, "file")).code).toBe("STATE_UNAVAILABLE");
    // The kernel's own file system has no room at all.
    expect(toStateError(fileError(10), "/proc/file").code).toBe("FILE_IO");
    expect(toStateError(fileError(1), "/proc/file").code).toBe("STATE_UNAVAILABLE");
  });

  it("that is one of ours stays as it is", () => {
    for (const own of [closedError(), overError(), corruptError("f", "why")])
      expect(toStateError(own, "g")).toBe(own);
    expect([closedError(), overError()].map(({ code }) => code)).toEqual(["RUNTIME_CLOSED", "INTERNAL"]);
    expect(closedError().retryable).toBe(false);
    expect(corruptError("f", "why", "cause").cause).toBe("cause");
    expect("cause" in corruptError("f", "why")).toBe(false);
  });
});

describe("a file that another process holds", () => {
  let time = 0;
  let slept: number[] = [];
  const clock = {
    ...systemClock,
    monotonic: () => time,
    async sleep(ms: number) {
      slept.push(ms);
      time += ms;
    },
  };
  /** Try what succeeds from some time on; tells how often it was tried. */
  const tryUntil = async (from: number, busy?: Busy, patienceMs?: number): Promise<number> => {
    let tries = 0;
    slept = [];
    await patiently(
      () => {
        tries += 1;
        if (time < from) throw fileError(5, "locked");
      },
      { file: "f", clock, ...(busy && { busy }), patienceMs },
    );
    return tries;
  };

  it("is tried again, after longer and longer pauses", async () => {
    time = 0;
    expect(await tryUntil(0)).toBe(1);
    expect(slept).toEqual([]);
    expect(await tryUntil(400)).toBe(11);
    expect(slept).toEqual([1, 2, 4, 8, 16, 32, 64, 100, 100, 100]);
  });

  it("is given up after nine seconds, or what is said", async () => {
    time = 0;
    await expect(tryUntil(Infinity)).rejects.toMatchObject({
      code: "STATE_BUSY",
      message: "The state f is busy: locked.",
    });
    expect(time).toBeGreaterThan(9000);
    expect(time).toBeLessThanOrEqual(9100);
    time = 0;
    await expect(tryUntil(Infinity, undefined, 50)).rejects.toThrow("busy");
    expect(time).toBeGreaterThan(50);
    expect(time).toBeLessThan(200);
  });

  it("is given up sooner by those that come after others have waited in vain, until it was free", async () => {
    time = 0;
    const busy: Busy = { since: undefined };
    await expect(tryUntil(Infinity, busy)).rejects.toThrow("busy");
    const began = time;
    await expect(tryUntil(Infinity, busy)).rejects.toThrow("busy");
    expect(time - began).toBeGreaterThan(500);
    expect(time - began).toBeLessThanOrEqual(700);
    expect(busy.since).toBe(0);
    await tryUntil(time + 100, busy);
    expect(busy.since).toBeUndefined();
  });

  it("is not tried again after another error, which becomes one of ours", async () => {
    time = 0;
    const fails = patiently(() => Promise.reject(fileError(11)), { file: "f", clock });
    await expect(fails).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    const own = new ToolUnavailableError("own", { code: "STATE_BUSY" });
    await expect(patiently(() => Promise.reject(own), { file: "f", clock })).rejects.toBe(own);
    expect(time).toBe(0);
  });
});
