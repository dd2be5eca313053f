// A small fleet for its picture: a front and three workers, on real servers.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startNats, startPostgres } from "../fleet/servers.mjs";
import { openMember } from "../fleet/members.mjs";

const token = "a-token-of-all-fronts-".padEnd(48, "x");
const workspaces = ["orchard", "mill", "press"];

export async function openDemoFleet() {
  const root = mkdtempSync(join(tmpdir(), "tenon-demo-fleet-"));
  // PostgreSQL runs as another user where this runs as root.
  chmodSync(root, 0o755);
  const volume = join(root, "volume");
  for (const name of workspaces) mkdirSync(join(volume, name), { recursive: true });
  const [nats, postgres] = await Promise.all([
    startNats(join(root, "nats")),
    startPostgres(join(root, "postgres")),
  ]);
  const config = join(root, "tenon.json");
  writeFileSync(
    config,
    JSON.stringify({ mode: "auto", database: "${TENON_DATABASE}", fleet: { workspace: workspaces[0] } }),
  );
  const stage = { root, nats, postgres, token, config, tenant: "main", direct: true };
  const args = ["worker", "--workspaces", volume, "--label", "volume=shared"];
  const members = [];
  for (const name of ["worker-1", "worker-2", "worker-3"])
    members.push(await openMember(stage, { name, args: [...args, "--label", `name=${name}`] }));
  const front = await openMember(stage, {
    name: "front",
    args: ["serve", "--quiet"],
    port: await freePort(),
  });
  members.push(front);
  const url = `http://127.0.0.1:${front.facts.port}`;
  const ask = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  for (const workspace of workspaces)
    await ask(`/api/tools/current_time/call?workspace=${workspace}`, { arguments: {} });
  return {
    url,
    places: [[root, "/srv/tenon"]],
    link: async () => (await ask("/api/links")).link,
    async close() {
      for (const member of members) await member.close();
      await nats.stop();
      await postgres.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
