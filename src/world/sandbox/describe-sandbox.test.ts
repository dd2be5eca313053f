import { describe, expect, it } from "vitest";
import type { ActiveSandbox } from "./active-sandbox.js";
import { describeSandbox } from "./describe-sandbox.js";

interface Parts {
  readonly limits?: object;
  readonly group?: object;
  readonly view?: object;
  readonly filter?: Uint8Array | undefined;
  readonly reason?: string;
}

/** What is said about a sandbox, by name: the status and the message. */
function facts({ limits = {}, group, view, reason, ...rest }: Parts = {}): Record<string, string> {
  const sandbox = {
    version: "0.11.0",
    bwrap: "/usr/bin/bwrap",
    filter: new Uint8Array(),
    limits,
    group: { limits: { processes: true }, ...group },
    view: { isRoot: false, scratch: { devices: undefined }, ...view },
    networks: { reason: () => reason },
    ...rest,
  } as unknown as ActiveSandbox;
  const found = describeSandbox(sandbox, {} as never);
  return Object.fromEntries(found.map(({ name, status, message }) => [name, `${status}: ${message}`]));
}

describe("what is said about the sandbox", () => {
  it("is why there is none", () => {
    expect(describeSandbox(undefined, { reason: "no bubblewrap" } as never)).toEqual([
      { name: "sandbox", status: "warn", message: "not active: no bubblewrap" },
    ]);
  });

  it("is what protects commands", () => {
    expect(facts()).toEqual({
      sandbox:
        "ok: bubblewrap 0.11.0 (/usr/bin/bwrap), with namespaces for users, processes, mounts, network and IPC",
      "system calls": "ok: filtered: no namespaces, mounts, ptrace, io_uring or unix sockets",
      limits: "ok: none",
      "control group": "ok: no memory limit for all commands together",
      network: "ok: the commands of a session share a loopback of their own",
    });
  });

  it("is what is limited", () => {
    const limits = {
      cpuSeconds: 60,
      fileSize: 5 * 1024 * 1024,
      processes: 512,
      openFiles: 1024,
      memory: 1.6 * 1024 * 1024,
    };
    expect(facts({ limits })).toMatchObject({
      limits: "ok: 60 s of CPU, files of 5 MiB, 512 processes, 1024 open files",
      "control group": "ok: 2 MiB of memory for all commands together",
    });
    for (const [name, shown] of [
      ["cpuSeconds", "60 s of CPU"],
      ["fileSize", "files of 5 MiB"],
      ["processes", "512 processes"],
      ["openFiles", "1024 open files"],
    ] as const)
      expect(facts({ limits: { [name]: limits[name] } })["limits"]).toBe(`ok: ${shown}`);
    const root = { isRoot: true, scratch: { devices: "/d" } };
    expect(facts({ limits: { processes: 5 }, view: root })["limits"]).toBe("ok: 5 processes");
    const group = { limits: { processes: false } };
    expect(facts({ limits: { processes: 5 }, view: root, group })["limits"]).toBe("ok: none");
    expect(facts({ limits: { processes: 5 }, group })["limits"]).toBe("ok: 5 processes");
  });

  it("is what is missing", () => {
    expect(facts({ filter: undefined, group: { reason: "no group" }, reason: "no slirp" })).toMatchObject({
      "system calls": `warn: no filter for the architecture ${process.arch}`,
      "control group": "warn: no group",
      network: "warn: commands of a session do not reach each other's servers: no slirp",
    });
  });

  it("is what root has to know", () => {
    const said = (devices: string | undefined, processes: boolean): string | undefined =>
      facts({ view: { isRoot: true, scratch: { devices } }, group: { limits: { processes } } })["root"];
    const message = "started by root, but commands inside do not run as root";
    const open = "the permissions of devices such as /dev/null can be changed from inside";
    const advice = ": start Tenon as a normal user";
    const unlimited = "the number of processes is not limited";
    expect(said("/d", true)).toBe(`ok: ${message}`);
    expect(said(undefined, true)).toBe(`warn: ${message}; however, ${open}${advice}`);
    expect(said("/d", false)).toBe(`warn: ${message}; however, ${unlimited}${advice}`);
    expect(said(undefined, false)).toBe(`warn: ${message}; however, ${open}, and ${unlimited}${advice}`);
  });
});
