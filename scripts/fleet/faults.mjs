// What can go wrong in a fleet, one fault at a time, each put right again afterwards.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Each fault does harm for a while; afterwards the fleet has to go on by itself.
 * @type {Record<string, (stage: any) => Promise<void>>}
 */
export const faults = {
  async killWorker({ workers, pick }) {
    const worker = pick(workers);
    await worker.end("SIGKILL");
    await pause(1500);
    await worker.start();
  },
  async killFront({ fronts, pick }) {
    const front = pick(fronts);
    await front.end("SIGKILL");
    await pause(1000);
    await front.start();
  },
  /** Longer than the lease: when it goes on, another owns its workspaces. */
  async stopWorker({ workers, pick }) {
    const worker = pick(workers);
    worker.signal("SIGSTOP");
    await pause(8000);
    worker.signal("SIGCONT");
  },
  /** About as long as the lease: whether it is renewed too late is a matter of milliseconds. */
  async stopWorkerBriefly({ workers, pick, random }) {
    const worker = pick(workers);
    worker.signal("SIGSTOP");
    await pause(4500 + random() * 1000);
    worker.signal("SIGCONT");
  },
  async stopFront({ fronts, pick }) {
    const front = pick(fronts);
    front.signal("SIGSTOP");
    await pause(3000);
    front.signal("SIGCONT");
  },
  async drainWorker({ workers, pick }) {
    const worker = pick(workers);
    await worker.end("SIGTERM");
    await worker.start();
  },
  async stopNats({ nats }) {
    await nats.stop();
    await pause(4000);
    await nats.start();
  },
  async stopNatsLong({ nats }) {
    await nats.stop();
    await pause(20_000);
    await nats.start();
  },
  async forgetNats({ nats }) {
    await nats.forget();
    await pause(500);
    await nats.start();
  },
  async stopPostgres({ postgres }) {
    await postgres.stop();
    await pause(4000);
    await postgres.start();
  },
  /** The network is gone, the processes are not. */
  async cutWorker({ workers, pick }) {
    const worker = pick(workers);
    worker.cut();
    await pause(8000);
    worker.restore();
  },
  async fillDisk({ volume, isMounted }) {
    if (!isMounted) return;
    const filler = join(volume, ".filler");
    // By another process: the clients, who measure how long their requests take, must not wait for it.
    const filling = spawn("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"], { stdio: "ignore" });
    await new Promise((done, fail) => filling.once("exit", done).once("error", fail));
    await pause(3000);
    rmSync(filler, { force: true });
  },
  /** Calls for a workspace that nobody has fill the stream. */
  async fillStream({ spy }) {
    const subject = `${spy.root}.calls.nobody.filler`;
    for (const bytes of [500_000, 20_000, 500])
      while (
        (await spy.jetstream.publish(subject, Buffer.alloc(bytes)).catch(() => undefined)) !== undefined
      );
    await pause(2000);
    await spy.manager.streams.purge(spy.calls, { filter: subject });
  },
  /** Somebody on the bus who does not belong to the fleet, or tells again what it has heard. */
  async sendNonsense({ spy, workspaces, pick, random }) {
    const subject = (session) => `${spy.root}.calls.${pick(workspaces)}.${session}`;
    const bodies = [
      randomBytes(200),
      "{ not json",
      "null",
      JSON.stringify({ callId: "call_x", carried: { object: "../../etc/passwd", size: 1, sha256: "" } }),
      JSON.stringify({ carried: { object: "0".repeat(36), size: 2 ** 40, sha256: "" } }),
      Buffer.alloc(900_000),
    ];
    for (const body of bodies) await spy.jetstream.publish(subject("api-token"), body).catch(() => {});
    // Word for word what was heard before, later and in another order, under the same and under another id.
    for (const { subject: of, data, headers } of spy.heard.toSorted(() => random() - 0.5).slice(0, 30)) {
      await spy.jetstream.publish(of, data, { headers }).catch(() => {});
      headers.delete("Nats-Msg-Id");
      headers.delete("Nats-Expected-Stream");
      await spy.jetstream.publish(of, data, { headers, msgID: `again-${random()}` }).catch(() => {});
      await spy.jetstream.publish(subject("other"), data, { headers }).catch(() => {});
      const callId = headers.get("Nats-Msg-Id");
      const lie = { callId, proof: "x".repeat(22), worker: "w000000000000", wrapped: false, maxChars: 9 };
      const envelope = { callId, toolName: "x", success: true };
      for (const front of spy.fronts())
        spy.connection.publish(
          `${spy.root}.front.${front}.outcome.${callId}`,
          JSON.stringify({ ...lie, envelope }),
        );
    }
    // A worker that nobody knows, and an entry that is none.
    const unknown = {
      kind: "worker",
      id: "w-unknown",
      incarnation: "1",
      protocol: 1,
      version: "9",
      host: "x",
      slots: 9,
    };
    await spy.members.put("w-unknown", JSON.stringify(unknown));
    await spy.members.put("w-broken", "{ not json");
    await pause(1500);
    for (const key of ["w-unknown", "w-broken"]) await spy.members.delete(key);
  },
  /** Two fronts let two workers claim at once. */
  async moveWorkspaces({ workspaces, workers, move }) {
    const running = workers.filter(({ isRunning }) => isRunning);
    await Promise.all(
      workspaces.flatMap((workspace) => running.map(({ facts }) => move(workspace, facts.worker))),
    );
  },
};
