import { isWithin } from "../files/path-text.js";

/** Why a workspace, given by its real path, cannot be sandboxed. */
export function refuseWorkspace(workspace: string): string | undefined {
  const holds = systemFolders.find((folder) => isWithin(folder, workspace));
  if (holds !== undefined)
    return `the workspace ${workspace} contains the system folder ${holds}; choose a folder of your own`;
  const kernel = kernelFolders.find(
    (folder) => isWithin(workspace, folder) && !workspace.startsWith("/dev/shm/"),
  );
  if (kernel !== undefined)
    return `the workspace is in ${kernel}, which does not contain regular files; choose another folder`;
  return undefined;
}

/** A workspace that contains one of these would make it writable for commands. */
const systemFolders = [
  "/usr",
  "/etc",
  "/bin",
  "/sbin",
  "/lib",
  "/boot",
  "/var/lib",
  "/run",
  "/proc",
  "/sys",
  "/dev",
];
const kernelFolders = ["/proc", "/sys", "/dev"];
