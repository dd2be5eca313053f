import { runProgram } from "../run-program.js";
import { pathBelow } from "./layer-path.js";
import type { CommandLayer, LayerPath } from "./layer-types.js";

/** The numbers of `llistxattr` and `lremovexattr`. */
const systemCalls: Partial<Record<NodeJS.Architecture, readonly [number, number]>> = {
  x64: [195, 198],
  arm64: [12, 15],
};
const timeoutMs = 60_000;

/**
 * Remove the attributes with which the kernel marks entries of a layer, such as where a file was copied from, before they
 * come into the workspace. Node.js has no calls for attributes. They mean nothing there, so without perl they stay.
 */
export async function stripAttributes(
  { upper }: Pick<CommandLayer, "upper">,
  paths: readonly LayerPath[],
): Promise<void> {
  const numbers = systemCalls[process.arch];
  if (numbers === undefined || paths.length === 0) return;
  const names = paths.flatMap((path) => [Buffer.from(pathBelow(upper, path)), Buffer.alloc(1)]);
  await runProgram({
    file: "/usr/bin/perl",
    args: ["-e", script, ...numbers.map(String)],
    env: {},
    extraFds: [{ fd: 3, data: Buffer.concat(names) }],
    timeoutMs,
  });
}

/** A folder into which a copied file was moved is marked, so that only there files have to be looked at. */
const script = String.raw`
my ($list, $remove) = map { $_ + 0 } @ARGV;
sub strip {
  my ($path) = @_;
  my $names = "\0" x 65536;
  my $length = syscall($list, $path, $names, 65536);
  my @own = $length > 0 ? grep { /^(?:user|trusted)\.overlay\./ } split /\0/, substr($names, 0, $length) : ();
  return 0 unless @own;
  my $mode = (lstat $path)[2];
  my $locked = !-l _ && !($mode & 0200);
  chmod(($mode & 07777) | 0200, $path) if $locked;
  syscall($remove, $path, $_) for @own;
  chmod($mode & 07777, $path) if $locked;
  return scalar grep { /\.impure$/ } @own;
}
open(my $in, "<&=", 3) or exit 1;
$/ = "\0";
my @locked;
while (my $top = <$in>) {
  chomp $top;
  lstat $top;
  if (!-d _ || -l _) { strip($top); next; }
  my @folders = ($top);
  while (defined(my $folder = pop @folders)) {
    my $mode = (lstat $folder)[2];
    if (($mode & 0700) != 0700) {
      chmod(($mode & 07777) | 0700, $folder);
      push @locked, [$mode & 07777, $folder];
    }
    my $impure = strip($folder);
    opendir(my $entries, $folder) or next;
    for my $name (grep { $_ ne "." && $_ ne ".." } readdir $entries) {
      my $path = "$folder/$name";
      lstat $path;
      if (-d _) { push @folders, $path } elsif ($impure) { strip($path) }
    }
    closedir $entries;
  }
}
chmod($_->[0], $_->[1]) for reverse @locked;`;
