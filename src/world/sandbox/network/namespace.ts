import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import type { Readable } from "node:stream";

/** The network namespace of a session: only a loopback, which all commands of the session share. */
export interface NetworkNamespace {
  /** The arguments that run a program inside it, with the rights to listen on any port: only the sandbox takes them away. */
  enter(argv: readonly string[]): string[];
  close(): void;
}

export interface NamespaceOptions {
  readonly bwrap: string;
  readonly nsenter: string;
  readonly isRoot: boolean;
}

/**
 * Create a network namespace whose loopback is up. It has no process: this one holds it open by a descriptor, so that
 * it ends with Tenon, however that ends.
 */
export async function openNamespace(options: NamespaceOptions): Promise<NetworkNamespace> {
  if (!options.isRoot) return create(options, true);
  // Root in a container may lack the rights outside of a user namespace.
  return create(options, false).catch(() => create(options, true));
}

const timeoutMs = 10_000;

async function create(
  { bwrap, nsenter }: NamespaceOptions,
  inUserNamespace: boolean,
): Promise<NetworkNamespace> {
  // In a user namespace, uid 0 stands for the user that started Tenon.
  const user = inUserNamespace ? ["--unshare-user", "--uid", "0", "--gid", "0"] : [];
  const child = spawn(
    bwrap,
    [
      ...user,
      "--unshare-net",
      "--ro-bind",
      "/",
      "/",
      "--die-with-parent",
      "--info-fd",
      "3",
      "--",
      ...waiting,
    ],
    {
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    },
  );
  try {
    return holdNamespace(nsenter, await readChildPid(child), inUserNamespace);
  } finally {
    // It has ended already, or ends now that nothing can be read.
    child.stdin.destroy();
  }
}

/** Once it writes, the loopback is up; then it waits until the namespace is held. */
const waiting = ["/bin/sh", "-c", "echo; read -r line"];

async function readChildPid(child: ChildProcess): Promise<number> {
  const [ready, info, failure] = [child.stdout, child.stdio[3], child.stderr] as [
    Readable,
    Readable,
    Readable,
  ];
  let problem = "";
  failure.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  child.stdin?.on("error", () => {}); // EPIPE: it has ended, which is reported by its output
  // A spawn that fails emits an error and then closes.
  child.once("error", (error) => (problem = error.message));
  const ended = once(child, "close").then(() => undefined);
  // Two pipes: which of them is read first is left to chance.
  const started = Promise.all([readPid(info), once(ready, "data")]).then(([pid]) => pid);
  const pid = await Promise.race([started, ended]);
  if (pid !== undefined) return pid;
  throw new Error(problem.trim() || "bubblewrap ended without a message");
}

/** The id of the process inside, once it is told; it may come in pieces. */
function readPid(info: Readable): Promise<number> {
  let text = "";
  return new Promise((resolve) => {
    info.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const pid = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
}

function holdNamespace(nsenter: string, pid: number, inUserNamespace: boolean): NetworkNamespace {
  const kinds = inUserNamespace ? (["user", "net"] as const) : (["net"] as const);
  const held: { readonly kind: string; readonly fd: number }[] = [];
  const close = (): void => {
    for (const { fd } of held.splice(0)) closeSync(fd);
  };
  try {
    for (const kind of kinds) held.push({ kind, fd: openSync(`/proc/${pid}/ns/${kind}`, "r") });
    for (const { kind, fd } of held) {
      // A process that had ended could have given its id to another one.
      if (fstatSync(fd).ino === statSync(`/proc/self/ns/${kind}`).ino)
        throw new Error(`the ${kind} namespace is not a new one`);
    }
  } catch (error) {
    close();
    throw error;
  }
  const flags = held.map(({ kind, fd }) => `--${kind}=/proc/${process.pid}/fd/${fd}`);
  return {
    enter: (argv) => [
      nsenter,
      ...(inUserNamespace ? ["--preserve-credentials"] : []),
      ...flags,
      "--",
      ...argv,
    ],
    close,
  };
}
