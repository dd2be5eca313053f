import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testPostgres } from "../../../test/postgres.js";
import type { HostAnswer } from "../../contract/host.js";
import { createFleet } from "../../fleet/testing/fleet-fixture.js";
import { testNats } from "../../fleet/testing/nats-server.js";
import { runTenon, type Ended } from "../testing/run-tenon.js";

const { signal } = new AbortController();
let nats: Awaited<ReturnType<typeof testNats>>;
let fleet: ReturnType<typeof createFleet>;
let dirs: readonly [string, string];
let ids: readonly [string, string];
let home: string;

beforeAll(async () => {
  const [server, database] = await Promise.all([testNats(), testPostgres()]);
  nats = server;
  const secrets = { keyFile: join(mkdtempSync(join(tmpdir(), "tenon-fleet-key-")), "secrets.key") };
  writeFileSync(secrets.keyFile, randomBytes(32).toString("base64url"), { mode: 0o600 });
  fleet = createFleet({ nats: nats.url, database, config: { mode: "ask", secrets } });
  // A workspace each, on disks of their own.
  const one = await fleet.worker({ workspaces: ["shop"] });
  const other = await fleet.worker({ workspaces: ["docs"] });
  dirs = [one.dir, other.dir];
  ids = [one.worker.id, other.worker.id];
  home = join(fleet.root, "cli");
  mkdirSync(home);
  const config = { database, fleet: { nats: nats.url, tenant: fleet.tenant } };
  writeFileSync(join(home, "front.json"), JSON.stringify(config));
});
afterAll(async () => {
  await fleet.close();
  await nats.close();
});

const tenon = (...args: string[]): Promise<Ended> =>
  runTenon([...args, "--config", join(home, "front.json")], { cwd: home, env: { TENON_STATE_DIR: home } });

const storeSecret = (name: string, ...args: string[]): Promise<Ended> =>
  runTenon(["secrets", "set", name, ...args, "--config", join(home, "front.json")], {
    cwd: home,
    env: { TENON_STATE_DIR: home },
    input: "a-value-of-the-fleet",
  });

const lines = ({ out }: Ended): readonly Record<string, unknown>[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the commands of one machine, across the workers of a fleet", () => {
  it("answer approvals, show and verify the log, take changes back and check the fleet", async () => {
    const calls: Promise<HostAnswer>[] = [];
    for (const workspace of ["shop", "docs"]) {
      const { host } = await fleet.front({ workspace });
      const session = host.openSession({ principal: "alice" });
      const args = { path: "a.txt", content: workspace };
      calls.push(session.call({ name: "write_file", arguments: args, signal }));
    }
    const queue = async (): Promise<{ id: string; workspace: string }[]> =>
      JSON.parse((await tenon("approvals", "--json")).out) as never;
    await expect.poll(queue).toHaveLength(2);
    const waiting = await queue();
    const [shop, docs] = ["shop", "docs"].map((name) => waiting.find(({ workspace }) => workspace === name));
    expect(await tenon("approvals", "answer", shop?.id ?? "")).toMatchObject({
      code: 2,
      err: expect.stringContaining("a person at a terminal"),
    });
    expect((await tenon("approvals", "refuse", docs?.id ?? "", "--reason", "not now")).out).toBe(
      "Refused write_file.\n",
    );
    const { front } = await fleet.front();
    await front.askOwner("shop", {
      verb: "http",
      http: {
        method: "POST",
        path: `/api/approvals/${shop?.id ?? ""}`,
        body: '{"verdict":"once"}',
        headers: { "content-type": "application/json" },
        admission: { by: "token" },
      },
    });
    const [written, refused] = await Promise.all(calls);
    expect([written?.envelope.success, refused?.envelope.success]).toEqual([true, false]);
    expect(readFileSync(join(dirs[0], "shop", "a.txt"), "utf8")).toBe("shop\n");

    const log = lines(await tenon("log", "--json", "--tool", "write_file"));
    expect(log.map(({ workspace, outcome }) => [workspace, outcome])).toEqual(
      expect.arrayContaining([
        ["shop", "success"],
        ["docs", "denied"],
      ]),
    );
    expect(lines(await tenon("log", "--json", "--fleet", "--workspace", "docs"))).toHaveLength(1);
    const id = written?.envelope.callId ?? "";
    expect((await tenon("log", "show", id)).out).toContain("write_file");
    expect((await tenon("log", "verify")).out).toMatch(
      /docs: \d+ records? verified.*\nshop: \d+ records? verified/,
    );
    expect((await tenon("log", "head")).out).toMatch(/^docs \d+:[0-9a-f]{64}\nshop \d+:[0-9a-f]{64}\n$/);
    expect(lines(await tenon("log", "export")).length).toBeGreaterThanOrEqual(2);

    expect((await tenon("undo", "--last", "--yes")).err).toContain("--workspace with one of: docs, shop");
    expect((await tenon("undo", "--call", id, "--preview")).out).toContain("-shop");
    expect(await tenon("undo", "--call", id, "--yes")).toMatchObject({ code: 0, out: "Undone: a.txt\n" });
    expect(existsSync(join(dirs[0], "shop", "a.txt"))).toBe(false);

    const doctor = await tenon("doctor", "--json");
    const found = JSON.parse(doctor.out) as { name: string; status: string; message: string }[];
    expect(found).toContainEqual({ name: "workers", status: "ok", message: "2 workers" });
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(["fleet", "queue"]));
  });

  it("keep the secrets of the workspace that is named, and pass on what its worker refuses", async () => {
    const of = ["--fleet", "--workspace", "docs"];
    expect((await storeSecret("API_KEY")).err).toContain("--workspace with one of: docs, shop");
    // The users of a fleet are those of its tenant, which no workspace knows.
    expect((await storeSecret("API_KEY", "--user", "alice", ...of)).out).toMatch(/^Stored API_KEY for alice/);
    expect((await storeSecret("not a name", ...of)).err).toContain("Secret not found");
    expect((await tenon("secrets", "list")).out).toMatch(/^docs\s+API_KEY\s+alice/);
    expect((await tenon("secrets", "remove", "API_KEY", ...of)).err).toContain("not found");
    expect((await tenon("secrets", "remove", "API_KEY", "--user", "alice", ...of)).code).toBe(0);
    expect(JSON.parse((await tenon("secrets", "list", "--json")).out)).toEqual([]);
  });

  it("say what to do where nobody is there", async () => {
    const away = await runTenon(["log", "--fleet", "nats://127.0.0.1:9"], {
      cwd: home,
      env: { TENON_STATE_DIR: home },
    });
    expect(away.code).not.toBe(0);
    expect(away.err).toContain("A fleet needs a PostgreSQL database");
    expect((await tenon("log", "--fleet", "--workspace", "nowhere")).err).toContain("not found in the fleet");
  });

  it("steer the fleet: what cannot be drained or moved is named, and a drained worker takes no more calls", async () => {
    const [one, other] = ids;
    const status = async (): Promise<string> => (await tenon("fleet", "status")).out;
    await expect.poll(status).toMatch(new RegExp(`^${one} +alive +\\S+ +0/64 +1 `, "m"));
    expect(await status()).toMatch(new RegExp(`^shop +owned +${one} +worker ${one} `, "m"));
    for (const args of [["drain"], ["move", "shop"]])
      expect((await tenon("fleet", ...args, "nobody")).err).toContain(
        'Worker "nobody" not found.\nSee: tenon fleet status',
      );
    expect((await tenon("fleet", "move", "nowhere", one)).err).toContain('Workspace "nowhere" not found.');
    expect((await tenon("fleet", "move", "shop", other)).err).toContain(`are on the disk of ${one}`);
    expect(await tenon("fleet", "drain", one)).toMatchObject({
      code: 0,
      out: `Worker ${one} takes no more calls.\n`,
    });
    await expect.poll(status).toMatch(new RegExp(`^${one} +draining `, "m"));
  });
});
