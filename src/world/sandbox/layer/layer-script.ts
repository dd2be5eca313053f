import { shellQuote } from "../../../command/shell-quote.js";
import { scanProgram } from "./scan-script.js";

/** The folder of one layer, and the workspace that it is mounted over. */
export interface LayerPlace {
  readonly dir: string;
  readonly workspace: string;
  /** The program mount. */
  readonly mount: string;
  /** Absolute paths of folders in the workspace that are copied into the layer, because the command renames them. */
  readonly copies?: readonly string[] | undefined;
}

/** Names in the folder of a layer. */
export const layerNames = {
  upper: "upper",
  work: "work",
  /** A link to the workspace: its path may contain characters that have a meaning in mount options. */
  lower: "lower",
  /** Exists once the layer was mounted. */
  mounted: "mounted",
  /** The folders that hide those of the workspace, each with a NUL after it, and one more NUL at the end. */
  opaque: "opaque",
} as const;

/**
 * With `userxattr`, users other than root can mount it, too. With `volatile`, nothing is written to the disk at once: a
 * layer is of no use after a crash of the system. What is committed reaches the disk when the system writes it, as the
 * files of a command that runs directly and does not sync.
 */
export const mountOptions = `lowerdir=${layerNames.lower},upperdir=${layerNames.upper},workdir=${layerNames.work},userxattr,volatile`;

/** The descriptor of the workspace itself, which the mount covers. */
const lowerFd = 6;

/**
 * Shell lines that mount the layer over the workspace. They run in a mount namespace of their own, so that nobody else
 * sees the mount, and it ends with the last process in it. The kernel renames a folder only if all of it is in the
 * layer.
 */
export function mountLines({ dir, workspace, mount, copies = [] }: LayerPlace): string {
  return `workspace=${shellQuote(workspace)}
copy() { cp -a -- "$1" "$1.tenon-copy" && rm -rf -- "$1" && mv -- "$1.tenon-copy" "$1"; }
cd ${shellQuote(dir)} && exec ${lowerFd}<"$workspace" &&
  ${shellQuote(mount)} -t overlay tenon -o ${mountOptions} "$workspace" && ${copies.map((path) => `copy ${shellQuote(path)} && `).join("")}: >${layerNames.mounted} || {
  echo "tenon-sandbox: the layer for the changes could not be mounted, so nothing was run" >&2
  exit 125
}`;
}

/** What closes the workspace itself for the command. */
export const closeLower = `${lowerFd}<&-`;

/**
 * Shell lines that list the folders that the command removed and created again, which hide the folder of the workspace
 * at the same path. Without a program that can read the mark of the kernel, what is shown tells: such a folder hides all
 * entries of the workspace that are not in the layer; any other folder shows them.
 */
export const scanLines = `cd ${layerNames.upper} && exec >../${layerNames.opaque} || exit 125
below=/proc/self/fd/${lowerFd}
exists() { [ -e "$1" ] || [ -L "$1" ]; }
is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }
hides() {
  hidden=1
  for entry in "$below/$1"/* "$below/$1"/.[!.]* "$below/$1"/..?*; do
    name=\${entry##*/}
    exists "$entry" || continue
    exists "$1/$name" && continue
    exists "$workspace/$1/$name" && return 1
    hidden=0
  done
  return $hidden
}
scan() {
  for folder in "$1"* "$1".[!.]* "$1"..?*; do
    is_folder "$folder" && is_folder "$below/$folder" || continue
    if hides "$folder"; then printf '%s\\0' "$folder"; else scan "$folder/"; fi
  done
}
set -- * .[!.]* ..?*
if [ "$*" = '* .[!.]* ..?*' ] && ! exists '*'; then printf '\\0'
elif ! ${scanProgram("$below") ?? "false"}; then
  exec >../${layerNames.opaque}
  scan ""
  printf '\\0'
fi`;

/** A script that only looks at a layer, for one whose command did not end by itself. */
export function scanScript(place: LayerPlace): string {
  return `${mountLines(place)}\n${scanLines}`;
}
