/** The numbers of `lgetxattr`, `llistxattr`, `lremovexattr` and `sync_file_range`, which Node.js and shells do not have. */
const systemCalls: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [192, 195, 198, 277],
  arm64: [9, 12, 15, 84],
};

/**
 * A shell line that lists, on its standard output, the folders that hide the folder of the workspace at the same path,
 * each with a NUL after it and one more NUL at the end. Then it removes the attributes with which the kernel marks
 * entries of a layer, which mean nothing in the workspace, and begins to write files that will replace others to the
 * disk: a file system that writes a file when it replaces another one (ext4) has less to do then. It runs in the folder
 * of the changed entries.
 * `undefined` where only the shell can do it, without removing attributes.
 */
export function scanProgram(below: string, arch: NodeJS.Architecture = process.arch): string | undefined {
  const numbers = systemCalls[arch];
  return numbers && `/usr/bin/perl -e '${script}' ${below} ${numbers.join(" ")}`;
}

/**
 * The kernel marks a folder that was removed and created again, but not the folders in it. Such a folder is listed if it
 * hides anything that is not in the layer, too. A new folder into which a copied file was moved or linked is marked as
 * impure, so that only there and in folders of the workspace files have to be looked at.
 */
const script = String.raw`
my ($below, $get, $list, $remove, $write) = @ARGV;
$_ += 0 for $get, $list, $remove, $write;
my $flushed = 0;
my $buffer = "\0" x 65536;
sub marks {
  my $length = syscall($list, $_[0], $buffer, 65536);
  return $length > 0 ? grep { /^(?:user|trusted)\.overlay\./ } split /\0/, substr($buffer, 0, $length) : ();
}
sub strip { my $path = shift; syscall($remove, $path, $_) for @_ }
sub flush {
  my $path = shift;
  return if $flushed == 300 || !(lstat("$below/$path") && -f _);
  $flushed++;
  open(my $file, "<", $path) or return;
  syscall($write, fileno($file), 0, 0, 2);
}
sub is_opaque {
  # Perl passes no constants.
  my ($name, $value) = ("user.overlay.opaque", "\0" x 8);
  return syscall($get, $_[0], $name, $value, 8) == 1 && substr($value, 0, 1) eq "y";
}
sub names {
  opendir(my $entries, $_[0]) or return;
  return grep { $_ ne "." && $_ ne ".." } readdir $entries;
}
sub is_folder { lstat $_[0]; return -d _ }
sub hides { my $path = shift; return grep { !lstat "$path/$_" } names("$below/$path") }
my (@listed, @marked);
my @folders = ([".", 1, 0]);
while (my $next = pop @folders) {
  my ($folder, $merged, $covers) = @$next;
  my @marks = marks($folder);
  push @marked, [$folder, @marks] if @marks;
  my $looks = $merged || grep { /\.impure$/ } @marks;
  next if !$looks && (lstat $folder)[3] == 2;
  for my $name (names($folder)) {
    my $path = $folder eq "." ? $name : "$folder/$name";
    lstat $path;
    if (!-d _) {
      next unless $looks && -f _;
      strip($path, marks($path));
      flush($path) if $merged;
    } elsif (!$merged || !is_folder("$below/$path")) {
      push @folders, [$path, 0, 0];
    } else {
      my $opaque = $covers || is_opaque($path);
      my $whole = $opaque && hides($path);
      push @listed, $path if $whole;
      push @folders, [$path, !$whole, $opaque];
    }
  }
}
$| = 1;
print map({ "$_\0" } @listed), "\0" or exit 1;
strip(@$_) for @marked;`;
