import type { SandboxState } from "../../contract/ports/processes.js";
import type { SandboxFact } from "./sandbox-types.js";
import type { Wall } from "./wall.js";

/** What holds commands and what does not, each with the way to get it. */
export function tellFacts(wall: Wall | undefined, state: SandboxState): SandboxFact[] {
  if (wall === undefined) {
    return [{ name: "sandbox", status: "warn", message: `not active: ${state.reason}` }];
  }
  return [
    {
      name: "sandbox",
      status: "ok",
      message: `bubblewrap ${wall.version} (${wall.bwrap}), with namespaces for users, processes, mounts, network and IPC`,
    },
    filterFact(wall),
    limitsFact(wall),
    groupFact(wall),
    ...(wall.view.isRoot ? [rootFact(wall)] : []),
  ];
}

function filterFact({ filter }: Wall): SandboxFact {
  const name = "system calls";
  if (filter === undefined) {
    return { name, status: "warn", message: `no filter for the architecture ${process.arch}` };
  }
  return { name, status: "ok", message: "filtered: no namespaces, mounts, ptrace, io_uring, unix sockets" };
}

function limitsFact({ limits, group, view }: Wall): SandboxFact {
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

function groupFact({ group, limits }: Wall): SandboxFact {
  const name = "control group";
  if (group.reason !== undefined) return { name, status: "warn", message: group.reason };
  const memory = limits.memory === undefined ? "no limit of memory" : `${toMiB(limits.memory)} of memory`;
  return { name, status: "ok", message: `${memory} for all commands together` };
}

function rootFact({ view, group }: Wall): SandboxFact {
  const open = [
    view.scratch.devices === undefined && "the modes of /dev/null and the like can be changed from inside",
    !group.limits.processes && "the number of processes is not limited",
  ].filter((each) => each !== false);
  const message = "started by root, which commands inside are not";
  if (open.length === 0) return { name: "root", status: "ok", message };
  return {
    name: "root",
    status: "warn",
    message: `${message}; but ${open.join(", and ")}: start it as a normal user`,
  };
}

function toMiB(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}
