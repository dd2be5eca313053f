import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openState } from "../src/store/open-state.js";
import { askPostgres, testPostgres } from "./postgres.js";

const bin = resolve(import.meta.dirname, "../bin/tenon.cjs");
let root: string;
let workspace: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-cli-state-"));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function tenon(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: workspace,
    env: { PATH: process.env["PATH"], HOME: root, TENON_STATE_DIR: join(root, "state"), ...env },
  });
  child.stdin.end();
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

const setEnv = (value: string): Promise<Ended> =>
  tenon(["call", "set_env", "key=GREETING", `value=${value}`]);
const getEnv = async (): Promise<unknown> => {
  const { stdout } = await tenon(["call", "get_env", "key=GREETING", "--json"]);
  return (JSON.parse(stdout) as { result: { value: unknown } }).result.value;
};

describe("tenon state", () => {
  it("backs up to one private file and restores it, keeping the former state", async () => {
    await setEnv("before");
    const file = join(root, "backup.gz");
    const backup = await tenon(["state", "backup", "../backup.gz", "--json"]);
    expect(backup).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(backup.stdout)).toMatchObject({ file, missing: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.partial`)).toBe(false);
    await setEnv("after");
    const restored = await tenon(["state", "restore", "../backup.gz"]);
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    expect(await getEnv()).toBe("before");
    const kept = /kept as (.*)\.\n/.exec(restored.stdout)?.[1] ?? "";
    expect(existsSync(kept)).toBe(true);
  });

  it("never overwrites a file with a backup", async () => {
    writeFileSync(join(root, "precious"), "mine");
    const { code, stderr } = await tenon(["state", "backup", "../precious"]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("does not exist yet"),
    });
    expect(readFileSync(join(root, "precious"), "utf8")).toBe("mine");
  });

  it("exports JSON lines to standard output, which can be restored", async () => {
    await setEnv("moin");
    const { code, stdout } = await tenon(["state", "export"]);
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ tenon: "state", workspace });
    expect(lines).toContainEqual(expect.objectContaining({ table: "sessions" }));
    writeFileSync(join(root, "export.jsonl"), stdout);
    await setEnv("other");
    expect(await tenon(["state", "restore", "../export.jsonl"])).toMatchObject({ code: 0 });
    expect(await getEnv()).toBe("moin");
  });

  it("refuses to restore while another process has the state open, unless forced", async () => {
    await setEnv("before");
    await tenon(["state", "backup", "../b.gz"]);
    const open = await openState({ stateDir: join(root, "state"), workspace });
    try {
      const refused = await tenon(["state", "restore", "../b.gz"]);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("open in another process") });
      expect(await tenon(["state", "restore", "../b.gz", "--force"])).toMatchObject({ code: 0 });
    } finally {
      await open.close();
    }
  });

  it.each([
    ["a file that is not there", "missing", /no such file or folder/],
    ["a file that is no backup", "workspace/note.txt", /not a complete backup/],
    ["a backup that is cut off", "cut.gz", /not a complete backup|unexpected end/],
  ])("refuses %s and leaves the state alone", async (_, name, message) => {
    await setEnv("kept");
    await tenon(["state", "backup", "../b.gz"]);
    writeFileSync(join(workspace, "note.txt"), "a note\n");
    writeFileSync(join(root, "cut.gz"), readFileSync(join(root, "b.gz")).subarray(0, -200));
    const { code, stderr } = await tenon(["state", "restore", join(root, name)]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(await getEnv()).toBe("kept");
  });

  it("moves a state to PostgreSQL, where everything goes on, and never tells the password", async () => {
    const url = await testPostgres();
    await setEnv("moved");
    await tenon(["state", "backup", "../b.gz"]);
    expect(gunzipSync(readFileSync(join(root, "b.gz"))).toString()).toContain("moved");
    writeFileSync(join(root, "pg.yml"), "database: ${STATE_URL}\n");
    const onServer = (...args: string[]): Promise<Ended> =>
      tenon([...args, "--config", join(root, "pg.yml")], { STATE_URL: url });
    try {
      expect(await onServer("state", "restore", "../b.gz")).toMatchObject({ code: 0, stderr: "" });
      const { stdout } = await onServer("call", "get_env", "key=GREETING", "--json");
      expect(JSON.parse(stdout)).toMatchObject({ result: { value: "moved" } });
      const doctor = await onServer("doctor", "--json");
      const findings = JSON.parse(doctor.stdout) as { name: string; status: string; message: string }[];
      const { host, password } = new URL(url);
      expect(findings).toContainEqual(
        expect.objectContaining({ name: "state", status: "ok", message: expect.stringContaining(host) }),
      );
      expect(doctor.stdout + doctor.stderr).not.toContain(password);
      const lost = await tenon(["call", "get_env", "key=X", "--config", join(root, "pg.yml")], {
        STATE_URL: url.replace(host, "127.0.0.1:1"),
      });
      expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("ECONNREFUSED") });
      expect(lost.stdout + lost.stderr).not.toContain(password);
    } finally {
      const schemas = await askPostgres<{ name: string }>(
        url,
        "SELECT n.nspname AS name FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta'",
      );
      for (const { name } of schemas) {
        const found = await askPostgres<{ value: string }>(
          url,
          `SELECT value FROM ${name}.meta WHERE key = 'workspace'`,
        ).catch((error: unknown) => {
          // Tests in other processes remove their own schemas meanwhile.
          if ((error as { code?: string }).code === "42P01") return [];
          throw error;
        });
        if (found[0]?.value === workspace) await askPostgres(url, `DROP SCHEMA ${name} CASCADE`);
      }
    }
  });

  it("takes no database from a workspace that nobody trusts", async () => {
    writeFileSync(join(workspace, "tenon.config.yml"), "database: postgres://evil:evil@127.0.0.1:1/x\n");
    expect(await setEnv("local")).toMatchObject({ code: 0 });
    expect(await getEnv()).toBe("local");
  });
});
