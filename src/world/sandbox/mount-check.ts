/** A writable root, and the mounts of the host inside it. */
export interface CheckedRoot {
  readonly path: string;
  readonly nested: readonly string[];
}

/**
 * Shell lines that check the mounts from inside. A path in a writable folder may change between the check and the mount
 * by bubblewrap: a concurrent job can replace a folder with a link to anywhere. Mounts do not change afterwards, so each
 * mount in a writable folder must come from that same folder, or be one that hides a path.
 */
export function mountCheck(roots: readonly CheckedRoot[], mountinfo = "/proc/self/mountinfo"): string {
  const cases = roots.map(
    ({ path, nested }, index) => `
  case $5 in
  ${quoteMountPath(path)}) device${index}=$3 root${index}=\${4%/} ;;
  ${nested.map((each) => `${quoteMountPath(each)}) ;;\n  `).join("")}${quoteMountPath(path === "/" ? "" : path)}/*) [ -z "$device${index}" ] || sound "$device${index}" "$root${index}" "$@" ;;
  esac`,
  );
  // The builtin read makes a system call for every character, so it is only the fallback for cat.
  return `sound() {
  [ "$5" = "$1" ] && case $6 in "$2"/*) return 0 ;; esac
  case $6 in */tenon-sandbox-*/empty) return 0 ;; esac
  [ "$6" = /null ] && case "$*" in *" - devtmpfs "*) return 0 ;; esac
  [ "$6" = / ] && case "$*" in *" - tmpfs "*mode=000* | *" - tmpfs "*mode=111* | *" - tmpfs "*mode=555*) return 0 ;; esac
  unsound
}
unsound() {
  echo "tenon-sandbox: a folder was replaced while the sandbox was built, so nothing was run" >&2
  exit 125
}
look() {${cases.join("")}
}
look_at_all() {
  IFS='
'
  set -f
  set -- $(cat ${mountinfo} 2>/dev/null || while read -r line; do printf "%s\\n" "$line"; done <${mountinfo})
  [ $# -gt 0 ] || unsound
  IFS=' '
  for mount; do look $mount; done
  set +f
  unset IFS
}
look_at_all
`;
}

/** The mounts below a folder, from the lines of /proc/self/mountinfo. */
export function mountsBelow(path: string, mountinfo: string): string[] {
  const start = escapeMountPath(path === "/" ? "" : path);
  const places = mountinfo.split("\n").map((line) => line.split(" ")[4] ?? "");
  return [...new Set(places.filter((place) => place.startsWith(`${start}/`)))].map(unescapeMountPath);
}

/** A path as written in mountinfo, in single quotes for the shell. */
function quoteMountPath(path: string): string {
  return `'${escapeMountPath(path).replaceAll("'", String.raw`'\''`)}'`;
}

function escapeMountPath(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function unescapeMountPath(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
