import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./testing/open-server.js";

let at: TestServer;

beforeAll(async () => {
  at = await openTestServer({ tenonOptions: { config: { mode: "auto" } } });
});
afterAll(() => at.close());

interface Job {
  readonly sessionId: string;
  readonly jobId: string;
  readonly state: { readonly kind: string };
}

/** Start a command in the background of a session of its own. */
async function start(command: string): Promise<{ readonly path: string; readonly find: () => Promise<Job> }> {
  const session = at.tenon.createSession();
  const { result } = await session.call({ name: "shell_exec", arguments: { command, background: true } });
  const { jobId } = result as { jobId: string };
  const find = async (): Promise<Job> =>
    ((await at.ask("/api/jobs")).body as Job[]).find((job) => job.jobId === jobId) as Job;
  return { path: `/api/jobs/${session.id}/${jobId}`, find };
}

describe("a job in the background", () => {
  it("is listed, followed, typed to and stopped", async () => {
    const { path, find } = await start("echo ready; read line; echo got $line; sleep 600");
    expect(await find()).toMatchObject({ command: expect.stringContaining("echo ready"), network: [] });
    await expect
      .poll(async () => JSON.stringify((await at.ask(`${path}/output?since=0`)).body))
      .toContain("ready");
    expect((await at.post(`${path}/input`, { text: "hello\n" })).body).toEqual({ typed: true });
    await expect
      .poll(async () => JSON.stringify((await at.ask(`${path}/output?since=0`)).body))
      .toContain("got hello");
    const { status, body } = await at.post(`${path}/stop`);
    expect({ status, body }).toEqual({ status: 200, body: { stopped: true } });
    await expect.poll(async () => (await find())?.state.kind ?? "gone").not.toMatch(/running|waiting/);
  });

  it("is not found under another name or in another session", async () => {
    const { path } = await start("sleep 600");
    const elsewhere = path.replace(/[^/]+$/, "job-999");
    expect((await at.ask(`${elsewhere}/output`)).status).toBe(404);
    expect((await at.post(`${elsewhere}/stop`)).status).toBe(404);
    expect((await at.post(`/api/jobs/nobody/x/stop`)).status).toBe(404);
    expect((await at.post(`${path}/input`, { wrong: true })).status).toBe(400);
    await at.post(`${path}/stop`);
  });
});
