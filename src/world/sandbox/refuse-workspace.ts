import { isWithin } from "../files/path-text.js";

/** Why no wall can be built around a workspace, given by its real path. */
export function refuseWorkspace(workspace: string): string | undefined {
  const holds = systemFolders.find((folder) => isWithin(folder, workspace));
  if (holds !== undefined)
    return `the workspace ${workspace} holds ${holds} of the system; choose a folder of your own`;
  const kernel = kernelFolders.find(
    (folder) => isWithin(workspace, folder) && !workspace.startsWith("/dev/shm/"),
  );
  if (kernel !== undefined)
    return `the workspace lies in ${kernel}, which holds no files; choose another folder`;
  return undefined;
}

/** A workspace that holds one of them would give it to commands to write. */
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
