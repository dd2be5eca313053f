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
export function mountCheck(roots: readonly CheckedRoot[]): string {
  const cases = roots.map(
    ({ path, nested }, index) => `
  case $place in
  ${quote(path)}) device${index}=$device root${index}=\${root%/} ;;
  ${nested.map((each) => `${quote(each)}) ;;\n  `).join("")}${quote(path === "/" ? "" : path)}/*) [ -z "$device${index}" ] || sound "$device${index}" "$root${index}" ;;
  esac`,
  );
  return `sound() {
  [ "$device" = "$1" ] && case $root in "$2"/*) return 0 ;; esac
  [ "$root" = /null ] && case $rest in *" - devtmpfs "*) return 0 ;; esac
  [ "$root" = / ] && case $rest in *" - tmpfs "*mode=000* | *" - tmpfs "*mode=111* | *" - tmpfs "*mode=555*) return 0 ;; esac
  echo "tenon-sandbox: a folder was swapped while the sandbox was built, so nothing was run" >&2
  exit 125
}
while read -r _ _ device root place rest; do${cases.join("")}
done </proc/self/mountinfo
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
