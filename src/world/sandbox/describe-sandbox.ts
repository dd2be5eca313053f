import type { SandboxState } from "../../contract/ports/processes.js";
import type { SandboxFact } from "./sandbox-types.js";
import type { ActiveSandbox } from "./active-sandbox.js";

/** Describe what protects commands and what is missing, with how to get it. */
export function describeSandbox(sandbox: ActiveSandbox | undefined, state: SandboxState): SandboxFact[] {
  if (sandbox === undefined) {
    return [{ name: "sandbox", status: "warn", message: `not active: ${state.reason}` }];
  }
  return [
    {
      name: "sandbox",
      status: "ok",
      message: `bubblewrap ${sandbox.version} (${sandbox.bwrap}), with namespaces for users, processes, mounts, network and IPC`,
    },
    filterFact(sandbox),
    limitsFact(sandbox),
    groupFact(sandbox),
    networkFact(sandbox),
    ...(sandbox.view.isRoot ? [rootFact(sandbox)] : []),
  ];
}

function filterFact({ filter }: ActiveSandbox): SandboxFact {
  const name = "system calls";
  if (filter === undefined) {
    return { name, status: "warn", message: `no filter for the architecture ${process.arch}` };
  }
  return { name, status: "ok", message: "filtered: no namespaces, mounts, ptrace, io_uring or unix sockets" };
}

function limitsFact({ limits, group, view }: ActiveSandbox): SandboxFact {
  const shown = [
    limits.cpuSeconds !== undefined && `${limits.cpuSeconds} s of CPU`,
    limits.fileSize !== undefined && `files of ${toMiB(limits.fileSize)}`,
    limits.processes !== undefined &&
      (!view.isRoot || group.limits.processes) &&
      `${limits.processes} processes`,
    limits.openFiles !== undefined && `${limits.openFiles} open files`,
  ];
  const list = shown.filter((each) => each !== false).join(", ");
  return { name: "limits", status: "ok", message: list === "" ? "none" : list };
}

function groupFact({ group, limits }: ActiveSandbox): SandboxFact {
  const name = "control group";
  if (group.reason !== undefined) return { name, status: "warn", message: group.reason };
  const memory = limits.memory === undefined ? "no memory limit" : `${toMiB(limits.memory)} of memory`;
  return { name, status: "ok", message: `${memory} for all commands together` };
}

function networkFact({ networks }: ActiveSandbox): SandboxFact {
  const name = "network";
  const reason = networks.reason();
  if (reason === undefined) {
    return { name, status: "ok", message: "the commands of a session share a loopback of their own" };
  }
  const message = `commands of a session do not reach each other's servers: ${reason}`;
  return { name, status: "warn", message };
}

function rootFact({ view, group }: ActiveSandbox): SandboxFact {
  const open = [
    view.scratch.devices === undefined &&
      "the permissions of devices such as /dev/null can be changed from inside",
    !group.limits.processes && "the number of processes is not limited",
  ].filter((each) => each !== false);
  const message = "started by root, but commands inside do not run as root";
  if (open.length === 0) return { name: "root", status: "ok", message };
  return {
    name: "root",
    status: "warn",
    message: `${message}; however, ${open.join(", and ")}: start Tenon as a normal user`,
  };
}

function toMiB(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
