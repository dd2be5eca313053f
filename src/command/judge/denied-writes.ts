import type { ShellContext } from "../walk.js";
import { belowHome } from "./credentials.js";

const elsewhere: readonly (readonly [RegExp, string])[] = [
  [
    /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|disk\/|mapper\/|md\d|dm-\d|loop\d|sr\d|mtd|zd\d|ram\d|k?mem$|port$)/,
    "a device",
  ],
  [/^\/(?:proc\/sys|sys)(?:\/|$)/, "the settings of the kernel"],
  [/^\/proc\/sysrq-trigger$/, "the kernel's own switches"],
  [/^\/etc\/(?:passwd|shadow|group|gshadow|sudoers|subuid|subgid)-?$/, "the accounts of the system"],
  [/^\/etc\/(?:sudoers\.d|pam\.d|security|ssh)(?:\/|$)/, "who may do what on the system"],
  [/^(?:\/etc\/cron[^/]*|\/var\/spool\/(?:cron|at)|\/etc\/anacrontab)(?:\/|$)/, "what runs at set times"],
  [
    /^\/(?:etc|lib|usr\/lib|run)\/systemd(?:\/|$)|^\/etc\/(?:init\.d|rc\.local|inittab)|^\/Library\/Launch(?:Daemons|Agents)(?:\/|$)/,
    "what starts with the system",
  ],
  [
    /^\/etc\/(?:ld\.so\.preload|ld\.so\.conf|profile|bash\.bashrc|environment|zsh|fstab|crypttab)/,
    "what every program or shell starts with",
  ],
  [/^\/boot(?:\/|$)|^\/lib\/modules\//, "what the system starts from"],
  [
    /^\/var\/log\/(?:auth\.log|secure|wtmp|btmp|lastlog|faillog|syslog|messages|audit(?:\/|$))/,
    "the system's records",
  ],
];

const startUp =
  /^\.(?:bashrc|bash_(?:profile|login|logout|aliases)|profile|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|login|xinitrc|xprofile|xsession(?:rc)?|pam_environment|config\/(?:autostart|fish|systemd\/user)(?:\/.*)?|ssh\/(?:authorized_keys2?|rc|environment|config))$|^Library\/LaunchAgents(?:\/|$)/;
const records = /^\.(?:bash|zsh|sh|python|psql|mysql)_history$/;

/** Describe a path that must not be written; `undefined` for all others. */
export function deniedWrite(path: string, place: ShellContext): string | undefined {
  return (
    deniedRemoval(path, place) ??
    (startUp.test(belowHome(path, place) ?? "") ? "what is run at every start or login" : undefined)
  );
}

/** Describe a path that must not be deleted either; `undefined` for all others. */
export function deniedRemoval(path: string, place: ShellContext): string | undefined {
  for (const [shape, what] of elsewhere) if (shape.test(path)) return what;
  return records.test(belowHome(path, place) ?? "") ? "the history of commands" : undefined;
}
