/** The numbers of `sync_file_range`, which Node.js does not have. */
const systemCalls: Partial<Record<NodeJS.Architecture, number>> = { x64: 277, arm64: 84 };

const script = String.raw`
my ($call, $folder) = (shift() + 0, shift);
chdir $folder or exit 1;
for (@ARGV) {
  lstat;
  next unless -f _;
  open(my $file, "<", $_) or next;
  syscall($call, fileno($file), 0, 0, 2);
}`;

/**
 * A program that begins to write files to the disk. A file system that writes a file when it replaces another one (ext4)
 * has less to do then. Where it cannot run, the rename does all of it. `undefined` where no such call is known.
 */
export function flushProgram(
  folder: string,
  paths: readonly string[],
  arch: NodeJS.Architecture = process.arch,
): readonly string[] | undefined {
  const call = systemCalls[arch];
  if (call === undefined) return undefined;
  return ["/usr/bin/perl", "-e", script, String(call), folder, ...paths.map((path) => `./${path}`)];
}
