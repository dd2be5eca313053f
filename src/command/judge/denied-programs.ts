import { operandsOf, type JudgedCommand } from "./judged-command.js";

/** Why a program should never run, unless it is called in one of the harmless ways. */
interface DeniedProgram {
  readonly names: string;
  readonly why: string;
  /** Called like this it only tells something. */
  readonly unless?: (judged: JudgedCommand) => boolean;
}

const first = ({ args }: JudgedCommand): string => operandsOf(args)[0]?.text ?? "";
const firstIs =
  (shape: RegExp) =>
  (judged: JudgedCommand): boolean =>
    shape.test(first(judged));
const someIs =
  (shape: RegExp) =>
  ({ texts }: JudgedCommand): boolean =>
    texts.some((text) => shape.test(text));
const bare = ({ args }: JudgedCommand): boolean => args.length === 0;
const anyOf =
  (...ways: readonly ((judged: JudgedCommand) => boolean)[]) =>
  (judged: JudgedCommand): boolean =>
    ways.some((way) => way(judged));

/** What `systemctl` does besides telling something. */
const changing =
  /^(?:start|stop|(?:try-)?restart|reload(?:-or-restart)?|(?:re)?enable|disable|(?:un)?mask|link|edit|set-.*|unset-environment|import-environment|isolate|kill|daemon-re(?:load|exec)|preset(?:-all)?|revert|poweroff|(?:soft-)?reboot|halt|kexec|suspend|hibernate|hybrid-sleep|rescue|emergency|default|switch-root|cancel|freeze|thaw|clean|bind|mount-image|add-(?:wants|requires)|exit|log-level)$/;

const table: readonly DeniedProgram[] = [
  {
    names: "sudo sudoedit doas su pkexec runuser gosu su-exec",
    why: "it takes the rights of another user",
    unless: someIs(/^-[VK]$/),
  },
  {
    names: "visudo passwd chpasswd gpasswd setcap newgrp",
    why: "it changes who may do what",
    unless: someIs(/^(?:-S|--status|-c)$/),
  },
  {
    names:
      "useradd adduser usermod userdel deluser groupadd groupmod groupdel addgroup delgroup chsh chfn vipw vigr newusers chage chgpasswd pwconv",
    why: "it changes the accounts of the system",
    unless: someIs(/^(?:-l|--list|-D|--defaults)$/),
  },
  {
    names: "shutdown reboot halt poweroff telinit kexec pm-suspend pm-hibernate",
    why: "it stops the machine",
    unless: someIs(/^(?:-c|--show)$/),
  },
  {
    names: "mkfs mke2fs mkswap newfs mkdosfs mkntfs blkdiscard",
    why: "it makes a new file system over what is there",
  },
  { names: "fdisk", why: "it changes the partitions of a disk", unless: someIs(/^(?:-l|-s|--list)/) },
  {
    names: "sfdisk",
    why: "it changes the partitions of a disk",
    unless: someIs(/^(?:-[ldVsF]|--(?:list|dump|json|verify))/),
  },
  {
    names: "cfdisk gdisk parted sgdisk",
    why: "it changes the partitions of a disk",
    unless: someIs(/^(?:-l|-p|--list|print|--print)$/),
  },
  {
    names: "wipefs",
    why: "it erases file systems",
    unless: (judged) => !someIs(/^-\w*[ao]|^--(?:all|offset)/)(judged),
  },
  {
    names: "lvremove vgremove pvremove lvreduce pvcreate vgcreate",
    why: "it changes the volumes of the system",
  },
  {
    names: "zpool zfs",
    why: "it changes file systems",
    unless: (judged) => !firstIs(/^(?:destroy|create|labelclear|remove|rollback|detach|offline)$/)(judged),
  },
  {
    names: "cryptsetup",
    why: "it changes encrypted disks",
    unless: firstIs(/^(?:status|isLuks|luksDump|luksUUID|benchmark|)$/),
  },
  {
    names: "mdadm",
    why: "it changes the disks of the system",
    unless: (judged) => !someIs(/^(?:-[SCrf]|--(?:stop|create|zero-superblock|remove|fail))$/)(judged),
  },
  {
    names: "mount",
    why: "it changes what is mounted",
    unless: anyOf(
      bare,
      (judged) => operandsOf(judged.args).length === 0 && !someIs(/^(?:-a|--all)$/)(judged),
    ),
  },
  {
    names: "umount swapon swapoff pivot_root switch_root",
    why: "it changes what is mounted",
    unless: someIs(/^(?:-s|--show|--summary)/),
  },
  {
    names: "losetup",
    why: "it changes devices",
    unless: anyOf(bare, someIs(/^(?:-[aljf]$|--(?:all|list|associated|find))/)),
  },
  {
    names: "insmod rmmod modprobe depmod",
    why: "it changes the kernel",
    unless: someIs(/^(?:-n|--dry-run|-c|--showconfig|--show-depends|-D|-R)$/),
  },
  {
    names: "sysctl",
    why: "it changes the settings of the kernel",
    unless: (judged) => !someIs(/^(?:-w|--write|-p.*|--load.*|--system)$|^[\w.]+=/)(judged),
  },
  {
    names: "iptables ip6tables ebtables arptables",
    why: "it changes the firewall",
    unless: someIs(/^-\w*[LS]|^--(?:list|list-rules)/),
  },
  {
    names: "iptables-restore ip6tables-restore pfctl",
    why: "it changes the firewall",
    unless: someIs(/^-(?:s|t|n)$|^--test$/),
  },
  { names: "nft", why: "it changes the firewall", unless: firstIs(/^(?:list|monitor|describe|)$/) },
  { names: "ufw", why: "it changes the firewall", unless: firstIs(/^(?:status|show|version|)$/) },
  { names: "ipset", why: "it changes the firewall", unless: firstIs(/^(?:list|test|version|help|save|)$/) },
  {
    names: "firewall-cmd",
    why: "it changes the firewall",
    unless: (judged) =>
      !someIs(/^--(?:add|remove|set|new|delete|change|panic-on|reload|complete-reload|permanent)/)(judged),
  },
  {
    names: "systemctl",
    why: "it changes services of the system",
    unless: (judged) => !operandsOf(judged.args).some(({ text }) => changing.test(text)),
  },
  {
    names: "service rc-service",
    why: "it changes services of the system",
    unless: anyOf(
      someIs(/^(?:--status-all|status|--list|-l)$/),
      (judged) => operandsOf(judged.args).length < 2,
    ),
  },
  {
    names: "systemd-run rc-update update-rc.d initctl invoke-rc.d",
    why: "it changes services of the system",
    unless: someIs(/^(?:show|list|status|-s)$/),
  },
  { names: "chkconfig", why: "it changes services of the system", unless: anyOf(bare, someIs(/^--list$/)) },
  {
    names: "launchctl",
    why: "it changes services of the system",
    unless: firstIs(/^(?:list|print.*|help|version|dumpstate|managername|manageruid|blame|)$/),
  },
  { names: "crontab", why: "it changes what runs at set times", unless: someIs(/^-l$/) },
  { names: "at atrm", why: "it sets what runs later", unless: anyOf(someIs(/^-[lcV]$/), bare) },
  {
    names: "hwclock",
    why: "it sets the clock",
    unless: (judged) => !someIs(/^(?:-\w*[ws]|--(?:set|systohc|hctosys|systz|adjust).*)$/)(judged),
  },
  { names: "timedatectl", why: "it sets the clock", unless: (judged) => !firstIs(/^set-/)(judged) },
  { names: "ntpdate rdate", why: "it sets the clock", unless: someIs(/^-\w*q/) },
  { names: "killall5", why: "it ends all processes" },
  {
    names: "setenforce aa-disable aa-teardown aa-complain",
    why: "it turns protections of the system off",
    unless: firstIs(/^1$/),
  },
  { names: "auditctl", why: "it changes what the system records", unless: someIs(/^-[slv]$/) },
  { names: "nsenter", why: "it enters the space of other processes" },
  {
    names: "insserv grub-install update-grub efibootmgr",
    why: "it changes how the system starts",
    unless: (judged) => judged.name === "efibootmgr" && bare(judged),
  },
  {
    names: "loginctl",
    why: "it ends sessions of others",
    unless: (judged) => !firstIs(/^(?:terminate|kill|lock|disable|enable)-/)(judged),
  },
];

const byName: ReadonlyMap<string, DeniedProgram> = new Map(
  table.flatMap((entry) => entry.names.split(" ").map((name) => [name, entry] as const)),
);

/** Programs that change the system as such. */
export function denyProgram(judged: JudgedCommand): string | undefined {
  const { name, texts } = judged;
  const entry =
    byName.get(name) ?? (/^(?:mkfs|mount)\.\w/.test(name) ? byName.get(name.split(".", 1)[0]!) : undefined);
  if (entry === undefined) return undefined;
  if (texts.length === 1 && /^(?:--help|--version|-V|--usage)$/.test(texts[0]!)) return undefined;
  if (name === "sudo" && texts.length === 1 && texts[0] === "-h") return undefined;
  return entry.unless?.(judged) === true ? undefined : entry.why;
}
