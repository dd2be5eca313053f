import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkFixture, type WorkFixture } from "./work-fixture.js";

describe.each([true, false])("a package manager (on layers: %s)", (layers) => {
  let fixture: WorkFixture;

  beforeAll(async () => {
    fixture = await openWorkFixture({ layers });
  });
  afterAll(() => fixture.close());

  it("npm installs from the registry that the machine is set up with, and without network the second time", async () => {
    const install = "npm install left-pad --no-audit --no-fund --prefer-offline";
    const first = await fixture.run(install, { network: ["npm"] });
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    expect(fixture.asked[0]?.preview?.details).toMatchObject({ network: [`${fixture.place} (new)`] });
    expect(first.network).toMatchObject([{ host: "localhost", verdict: "allowed" }]);
    rmSync(join(fixture.workspace, "node_modules"), { recursive: true });
    const session = fixture.tenon.createSession();
    const again = await session.call({
      name: "shell_exec",
      arguments: { command: `${install} --offline && ls node_modules`, timeout: 300_000 },
    });
    expect(again.result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("left-pad") as string,
    });
    // The caches of the person stay as they are.
    expect(existsSync(join(fixture.home, ".npm"))).toBe(false);
  });
});

describe("tools with their own registry", () => {
  let fixture: WorkFixture;

  beforeAll(async () => {
    fixture = await openWorkFixture();
  });
  afterAll(() => fixture.close());

  it("pip installs from the index that the machine is set up with, and without network the second time", async () => {
    const install = "/usr/bin/python3 -m pip install --disable-pip-version-check --target lib leftpad";
    const first = await fixture.run(
      `${install} && PYTHONPATH=lib python3 -c 'import leftpad; print(leftpad.value)'`,
      {
        network: ["pip"],
      },
    );
    expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toMatch(/42\n$/);
    expect(readdirSync(fixture.home).toSorted()).toEqual([".config", ".npmrc"]);
    rmSync(join(fixture.workspace, "lib"), { recursive: true });
    const again = await fixture.run(`${install} && ls lib`);
    expect(again, again.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("leftpad.py") as string,
    });
  });

  it("have every connection in the log, those of jobs too", async () => {
    const address = `http://${fixture.place}/repo.git/HEAD`;
    await fixture.run(`curl -sS ${address}; curl -sS http://other.example.org/`, {
      network: [fixture.place],
    });
    const job = await fixture.run(`curl -sS ${address}`, { network: [fixture.place], background: true });
    await fixture.call("shell_output", { job_id: job.jobId, wait_for: "exit", timeout: 100_000 });
    const allowed = { host: "localhost", verdict: "allowed", bytesReceived: expect.any(Number) as number };
    const networkOf = async (tool: string): Promise<unknown> => {
      const [newest] = await fixture.tenon.audit.search({ tool, limit: 1 });
      const record = await fixture.tenon.audit.get(newest?.callId ?? "");
      return (record?.result as { network?: unknown } | undefined)?.network;
    };
    await expect.poll(() => networkOf("job_end")).toMatchObject([allowed]);
    const found = await fixture.tenon.audit.search({ tool: "shell_exec" });
    const results = await Promise.all(found.map(({ callId }) => fixture.tenon.audit.get(callId)));
    expect(
      results.map((record) => (record?.result as { network?: unknown } | undefined)?.network),
    ).toContainEqual([
      expect.objectContaining(allowed),
      expect.objectContaining({ host: "other.example.org", verdict: "refused" }),
    ]);
  });

  it("never see credentials of the person", async () => {
    const seen = await fixture.run("cat ~/.npmrc; env; npm config list -l", { network: ["npm"] });
    expect(seen.stdout + seen.stderr).not.toContain("secret");
    expect(seen.stdout).toContain(`registry=http://${fixture.place}/`);
  });

  it("see the credentials of a host that the configuration names, if they are granted it by name", async () => {
    const trusting = await openWorkFixture({ sandbox: { credentials: ["LOCALHOST"] } });
    try {
      const granted = await trusting.run("cat ~/.npmrc", { network: ["npm"] });
      expect(granted.stdout).toContain(`//${trusting.place}/:_authToken=secret`);
      expect(trusting.asked[0]?.preview?.details).toMatchObject({
        network: [`${trusting.place} (new, with your credentials)`],
      });
      const others = await trusting.run("cat ~/.npmrc; ls -a ~", { network: true });
      expect(others.stdout).not.toContain("secret");
    } finally {
      await trusting.close();
    }
  });

  it("whose hosts are not known say so, and list what they are refused", async () => {
    const result = await fixture.run("curl -sS https://crates.example.org/", { network: ["cargo"] });
    expect(result.notes.join("\n")).toMatch(/No host of cargo[^]*|network: \["crates.example.org"\]/);
    expect(result.notes.join("\n")).toContain('"crates.example.org"');
  });
});
