/** Supported architectures, by their names in Node. */
export type FilterArch = "x64" | "arm64";

/** The kernel's names for the architectures: AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
export const auditArch: Readonly<Record<FilterArch, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** The number of a call on x64 and arm64; `undefined` if it does not exist there. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined];

/** Calls that are refused whatever their arguments are. */
export const refusedCalls = {
  // Other processes' memory and descriptors.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Mounts and roots, by the old calls and by the new ones.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  setns: [308, 268],
  // Work that the kernel does without this filter.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Large parts of the kernel that builds and tests do not need and that had many vulnerabilities.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  open_by_handle_at: [304, 265],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  _sysctl: [156, undefined],
  sysfs: [139, undefined],
  nfsservctl: [180, 42],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  create_module: [174, undefined],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  syslog: [103, 116],
  vhangup: [153, 58],
} as const satisfies Record<string, Numbers>;

/** Calls that are judged by their arguments, or whose arguments are in memory, where a filter cannot read them. */
export const judgedCalls = {
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  personality: [135, 92],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  open: [2, undefined],
  openat: [257, 56],
  openat2: [437, 437],
  creat: [85, undefined],
  mknod: [133, undefined],
  mknodat: [259, 33],
} as const satisfies Record<string, Numbers>;

/** The number of a call on an architecture. */
export function numberOf(numbers: Numbers, arch: FilterArch): number | undefined {
  return numbers[arch === "x64" ? 0 : 1];
}
