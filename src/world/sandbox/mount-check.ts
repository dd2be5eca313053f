/** A writable root, and what the machine itself has mounted inside it. */
export interface CheckedRoot {
  readonly path: string;
  readonly nested: readonly string[];
}

/**
 * Lines of shell that look, from inside, at what was mounted. A path in a writable folder names one thing
 * when it is looked at and perhaps another when bubblewrap mounts it: a job that runs at the same time can
 * swap a folder for a link to anywhere. What is mounted does not change any more, so each mount in a
 * writable folder must come from that same folder, or be one of the covers.
 */
export function mountCheck(roots: readonly CheckedRoot[], mountinfo = "/proc/self/mountinfo"): string {
  const cases = roots.map(
    ({ path, nested }, index) => `
  case $5 in
  ${quote(path)}) device${index}=$3 root${index}=\${4%/} ;;
  ${nested.map((each) => `${quote(each)}) ;;\n  `).join("")}${quote(path === "/" ? "" : path)}/*) [ -z "$device${index}" ] || sound "$device${index}" "$root${index}" "$@" ;;
  esac`,
  );
  // The builtin read takes a system call for every character, so it only stands in where there is no cat.
  return `sound() {
  [ "$5" = "$1" ] && case $6 in "$2"/*) return 0 ;; esac
  case $6 in */tenon-sandbox-*/empty) return 0 ;; esac
  [ "$6" = /null ] && case "$*" in *" - devtmpfs "*) return 0 ;; esac
  [ "$6" = / ] && case "$*" in *" - tmpfs "*mode=000* | *" - tmpfs "*mode=111* | *" - tmpfs "*mode=555*) return 0 ;; esac
  unsound
}
unsound() {
  echo "tenon-sandbox: a folder was swapped while the sandbox was built, so nothing was run" >&2
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
  const start = escape(path === "/" ? "" : path);
  const places = mountinfo.split("\n").map((line) => line.split(" ")[4] ?? "");
  return [...new Set(places.filter((place) => place.startsWith(`${start}/`)))].map(unescape);
}

/** As the kernel writes a path there, in single quotes for the shell. */
function quote(path: string): string {
  return `'${escape(path).replaceAll("'", String.raw`'\\''`)}'`;
}

function escape(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
