import { describe, expect, it } from "vitest";
import { bwrapArguments, hasNetwork, type BwrapOptions } from "./bwrap-arguments.js";
import type { Mount } from "./mount-plan.js";
import { programHome, type SandboxCommand } from "./sandbox-types.js";
import type { SessionView } from "./sandbox-view.js";
import { toPathText } from "../files/raw-path.js";

const plain = {
  workspace: "/work/project",
  home: "/home/ada",
  links: [],
  system: { mounts: ["--ro-bind", "/usr", "/usr"], roots: ["/usr"] },
  tools: { programs: [] },
  sessionCaches: [],
  scratch: { dir: "/scratch", devices: undefined },
  writable: [],
  readable: [],
  linkedGit: [],
  secrets: [],
  gitSettings: undefined,
  toolSettings: [],
  nameFiles: { granted: ["--granted-names"], offline: ["--offline-names"] },
  user: { uid: 1234, gid: 5678, home: "/home/ada" },
  session: { tmp: "/scratch/tmp", caches: "/scratch/caches" },
};

interface Changes {
  readonly view?: Partial<Record<keyof SessionView, unknown>>;
  readonly command?: Partial<SandboxCommand>;
  readonly parts?: Partial<BwrapOptions>;
}

/** The arguments as one text, so that an expectation reads like a command line. */
function argumentsFor({ view, command, parts }: Changes = {}): string {
  const all = bwrapArguments({
    view: { ...plain, ...view } as unknown as SessionView,
    command: { argv: ["true"], cwd: "/work/project", env: {}, readOnly: false, ...command },
    cwd: "/work/project",
    caches: [],
    variables: [],
    mounts: [],
    sharesNetwork: false,
    canLimitSize: false,
    ...parts,
  });
  return all.map(String).join(" ");
}

function mount(path: string, kind: Mount["kind"], more: Partial<Mount> = {}): Mount {
  return { path, kind, isDirectory: false, ...more };
}

describe("the arguments of bubblewrap", () => {
  it("are these for a plain command", () => {
    expect(argumentsFor().replaceAll(" --", "\n--").split("\n")).toEqual([
      "--unshare-all",
      "--unshare-user",
      "--uid 1234",
      "--gid 5678",
      "--die-with-parent",
      "--new-session",
      "--cap-drop ALL",
      "--clearenv",
      "--ro-bind /usr /usr",
      "--offline-names",
      "--proc /proc",
      "--remount-ro /proc",
      "--dev /dev",
      "--tmpfs /dev/shm",
      "--dir /run",
      "--symlink ../run /var/run",
      "--symlink ../tmp /var/tmp",
      "--bind /scratch/tmp /tmp",
      "--tmpfs /home/ada",
      "--bind /work/project /work/project",
      "--remount-ro /dev",
      "--remount-ro /",
      "--chdir /work/project",
    ]);
  });

  it("share the network only with the session, and leave a terminal of its own to a command that has one", () => {
    expect(argumentsFor()).not.toContain("--share-net");
    expect(argumentsFor({ parts: { sharesNetwork: true } })).toContain("--share-net");
    expect(argumentsFor({ command: { pty: false } })).toContain("--new-session");
    expect(argumentsFor({ command: { pty: true } })).not.toContain("--new-session");
  });

  it("set the initial variables after all others are gone", () => {
    const variables = [
      ["A", "1"],
      ["B", "two words"],
    ] as const;
    expect(argumentsFor({ parts: { variables } })).toContain("--clearenv --setenv A 1 --setenv B two words");
  });

  it("name hosts according to the network that the command is granted", () => {
    const granted = argumentsFor({ command: { network: { hosts: ["example.org"] } } });
    expect(granted).toContain("--granted-names");
    expect(granted).not.toContain("--offline-names");
  });

  it("bound what lies in memory where this bubblewrap can", () => {
    const args = argumentsFor({ parts: { canLimitSize: true } });
    expect(args).toContain("--size 1073741824 --tmpfs /dev/shm");
    expect(args).toContain("--size 1073741824 --tmpfs /home/ada");
  });

  it("take prepared devices where there are some", () => {
    const args = argumentsFor({ view: { scratch: { dir: "/scratch", devices: "/scratch/dev" } } });
    expect(args).toContain("--dev /dev --dev-bind /scratch/dev/");
    expect(args).toContain("--dev-bind /scratch/dev/null /dev/null");
  });

  it("keep the workspace and granted folders from a command that may only read", () => {
    const view = { writable: ["/data"], readable: ["/docs"], linkedGit: ["/repo/.git"] };
    expect(argumentsFor({ view })).toContain(
      "--ro-bind-try /docs /docs --bind-try /data /data --bind /work/project /work/project",
    );
    expect(argumentsFor({ view })).not.toContain("/repo/.git");
    expect(argumentsFor({ view, command: { readOnly: true } })).toContain(
      "--ro-bind-try /docs /docs --ro-bind-try /data /data --ro-bind /work/project /work/project --ro-bind-try /repo/.git /repo/.git",
    );
  });

  it("mount inner folders after those that would cover them", () => {
    const args = argumentsFor({ view: { readable: ["/work/project/vendor/docs"], writable: ["/work"] } });
    expect(args).toContain(
      "--bind-try /work /work --bind /work/project /work/project --ro-bind-try /work/project/vendor/docs /work/project/vendor/docs",
    );
  });

  it("pin the folders in /tmp above a mount, which a command could replace by a link", () => {
    const pins = argumentsFor({
      view: {
        workspace: "/tmp/a/project",
        readable: ["/tmp/b"],
        writable: ["/tmp/a/more"],
        home: "/tmp/c/ada",
      },
    });
    const afterTmp = pins.slice(pins.indexOf("/scratch/tmp /tmp") + "/scratch/tmp /tmp".length);
    expect(afterTmp).toMatch(/^ --tmpfs \/tmp\/c --tmpfs \/tmp\/a --tmpfs \/tmp\/c\/ada --/);
    expect(argumentsFor({ view: { linkedGit: ["/tmp/git/main"] } })).toContain("--tmpfs /tmp/git");
    expect(argumentsFor({ view: { links: [{ from: "/x", at: "/tmp/link/x" }] } })).toContain(
      "--tmpfs /tmp/link",
    );
    expect(argumentsFor({ view: { tools: { programs: ["/tmp/tool/bin"] } } })).toContain("--tmpfs /tmp/tool");
    expect(argumentsFor({ view: { readable: ["/tmpfiles/x"] } })).not.toContain("--tmpfs /tmpfiles");
  });

  it("fill the empty home folder with tools, caches and settings, which a command cannot write", () => {
    const args = argumentsFor({
      view: {
        tools: { programs: ["/home/ada/.cargo/bin"] },
        sessionCaches: [{ from: "/scratch/caches/npm", at: "/home/ada/.npm" }],
        toolSettings: [{ from: "/scratch/settings/rc", at: "/home/ada/.npmrc" }],
        gitSettings: "/scratch/gitconfig",
      },
      parts: { caches: ["--bind", "/downloads", "/home/ada/.cache"] },
    });
    expect(args).toContain(
      [
        "--tmpfs /home/ada",
        "--ro-bind-try /home/ada/.cargo/bin /home/ada/.cargo/bin",
        "--bind /scratch/caches/npm /home/ada/.npm",
        "--bind /downloads /home/ada/.cache",
        "--ro-bind /scratch/settings/rc /home/ada/.npmrc",
        "--ro-bind /scratch/gitconfig /home/ada/.gitconfig",
      ].join(" "),
    );
  });

  it("do not empty a home folder that is the workspace, and keep its tools read-only", () => {
    const args = argumentsFor({
      view: { home: undefined, workspace: "/home/ada", tools: { programs: ["/home/ada/.bun"] } },
      parts: { caches: ["--bind", "/downloads", "/home/ada/.cache"] },
    });
    expect(args).not.toContain("--tmpfs /home/ada");
    expect(args).not.toContain("/downloads");
    expect(args).toContain("--bind /home/ada /home/ada --ro-bind-try /home/ada/.bun /home/ada/.bun");
  });

  it("create links to the home folder and the workspace after what they lead to", () => {
    const args = argumentsFor({ view: { links: [{ from: "/work/project", at: "/project" }] } });
    expect(args).toContain("--bind /work/project /work/project --symlink /work/project /project");
  });

  it("give a program of the configuration a folder of its own, and the workspace and home only to read", () => {
    const args = argumentsFor({ command: { home: "/state/programs/x" } });
    expect(args).toContain(`--bind /state/programs/x ${programHome}`);
    expect(args).toContain("--ro-bind /work/project /work/project");
    expect(args).toContain("--remount-ro /dev --remount-ro /home/ada --remount-ro /");
    expect(argumentsFor()).not.toContain(programHome);
  });

  it("leave a home folder that was granted to a program as it was granted", () => {
    const command = { home: "/state/programs/x" };
    for (const granted of [{ readable: ["/home/ada"] }, { writable: ["/home/ada"] }])
      expect(argumentsFor({ view: granted, command })).not.toContain("--remount-ro /home/ada");
    expect(argumentsFor({ view: { home: undefined }, command })).toContain(
      "--remount-ro /dev --remount-ro /",
    );
  });
});

describe("the mounts for path rules", () => {
  it("fix, bind or hide a path", () => {
    const args = argumentsFor({
      parts: {
        mounts: [
          mount("/work/project/.git/hooks", "fix", { isDirectory: true }),
          mount("/work/project/open", "bind"),
          mount("/work/project/sub", "pin", { isDirectory: true }),
          mount("/work/project/.env", "mask"),
          mount("/work/project/keys", "mask", { isDirectory: true }),
        ],
      },
    });
    expect(args).toContain(
      [
        "--bind /work/project /work/project",
        "--ro-bind-try /work/project/.git/hooks /work/project/.git/hooks",
        "--bind-try /work/project/open /work/project/open",
        "--bind-try /work/project/sub /work/project/sub",
        "--ro-bind /dev/null /work/project/.env",
        "--perms 0000 --tmpfs /work/project/keys --remount-ro /work/project/keys",
        "--remount-ro /dev",
      ].join(" "),
    );
  });

  it("seal a hidden folder with a visible path only after that was mounted, inner folders first", () => {
    const opened = { isDirectory: true, isOpenedInside: true };
    const args = argumentsFor({
      parts: {
        mounts: [
          mount("/work/project/a", "mask", opened),
          mount("/work/project/a/b", "mask", opened),
          mount("/work/project/a/b/open", "fix"),
        ],
      },
    });
    expect(args).toContain(
      [
        "--perms 0111 --tmpfs /work/project/a",
        "--perms 0111 --tmpfs /work/project/a/b",
        "--ro-bind-try /work/project/a/b/open /work/project/a/b/open",
        "--remount-ro /work/project/a/b",
        "--remount-ro /work/project/a",
        "--remount-ro /dev",
      ].join(" "),
    );
  });

  it("show a search an empty file or folder in place of what it may not read", () => {
    const command = { paths: { unasked: true } as never };
    const mounts = [
      mount("/work/project/.env", "mask"),
      mount("/work/project/keys", "mask", { isDirectory: true }),
      mount("/work/project/some", "mask", { isDirectory: true, isOpenedInside: true }),
    ];
    const args = argumentsFor({ command, parts: { mounts } });
    expect(args).toContain("--ro-bind /scratch/empty /work/project/.env");
    expect(args).toContain("--perms 0555 --tmpfs /work/project/keys --remount-ro /work/project/keys");
    expect(args).toContain("--perms 0555 --tmpfs /work/project/some --remount-ro /work/project/some");
    expect(argumentsFor({ command: { paths: {} as never }, parts: { mounts } })).not.toContain(
      "/scratch/empty",
    );
  });

  it("pass a path that is not valid UTF-8 as its bytes", () => {
    const bytes = Buffer.from("/work/project/\xff", "latin1");
    const options = { path: toPathText(bytes), isDirectory: true, isOpenedInside: true };
    const all = bwrapArguments({
      view: plain as unknown as SessionView,
      command: { argv: ["true"], cwd: "/", env: {}, readOnly: false },
      cwd: "/",
      caches: [],
      variables: [],
      mounts: [{ ...options, kind: "mask" }],
      sharesNetwork: false,
      canLimitSize: false,
    });
    expect(all.filter((each) => bytes.equals(Buffer.from(each)))).toHaveLength(2);
    expect(all).not.toContain(options.path);
  });

  it("hide secrets, but none inside a folder that is hidden already", () => {
    const secrets = [
      { path: "/state", isDirectory: true },
      { path: "/state/token", isDirectory: false },
      { path: "/work/project/keys/a", isDirectory: false },
      { path: "/etc/secret", isDirectory: false },
    ];
    const args = argumentsFor({
      view: { secrets },
      parts: { mounts: [mount("/work/project/keys", "mask", { isDirectory: true })] },
    });
    expect(args).toContain(
      "--remount-ro /work/project/keys --perms 0000 --tmpfs /state --remount-ro /state --ro-bind /dev/null /etc/secret --remount-ro /dev",
    );
    expect(args).not.toContain("token");
    expect(args).not.toContain("keys/a");
  });

  it("hide a secret below a path that is only fixed", () => {
    const args = argumentsFor({
      view: { secrets: [{ path: "/work/project/.git/token", isDirectory: false }] },
      parts: { mounts: [mount("/work/project/.git", "fix", { isDirectory: true })] },
    });
    expect(args).toContain("--ro-bind /dev/null /work/project/.git/token");
  });
});

it("has a network only where the command was granted more than its session's", () => {
  const command = { argv: ["true"], cwd: "/", env: {}, readOnly: false };
  expect(hasNetwork(command)).toBe(false);
  expect(hasNetwork({ ...command, network: { hosts: ["example.org"] } })).toBe(true);
});
