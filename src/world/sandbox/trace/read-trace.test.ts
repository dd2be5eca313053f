import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTrace } from "./read-trace.js";

const started = `7  execve("/usr/bin/bwrap", ["bwrap"], 0x1 /* 2 vars */) = 0
7  openat(AT_FDCWD</>, "/root/.profile", O_RDONLY) = -1 ENOENT (No such file or directory)
8  execve("/usr/bin/node", ["node", "server.js"], 0x1 /* 2 vars */) = 0
`;

describe("a trace of a program", () => {
  it("tells paths, programs and addresses that it could not use, after its own start", () => {
    const trace = readTrace(
      `${started}8  openat(AT_FDCWD</run/home>, "/root/.ssh/id", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)
8  openat(AT_FDCWD</run/home>, "notes.txt", O_WRONLY|O_CREAT, 0666) = -1 EROFS (Read-only file system)
8  openat(5</data>, "list", O_RDONLY) = -1 EACCES (Permission denied)
8  openat(AT_FDCWD</>, "/seen", O_RDONLY) = 4</seen>
8  stat("/etc/\\303\\251\\"x", 0x7ff) = -1 ENOENT (No such file or directory)
9  mkdir("/made", 0777) = -1 EROFS (Read-only file system)
10 execve("/opt/a/git", ["git"], 0x1 /* 2 vars */) = -1 ENOENT (No such file or directory)
10 execve("/usr/bin/git", ["git"], 0x1 /* 2 vars */) = 0
11 execve("/root/bin/own", ["own"], 0x1 /* 2 vars */) = -1 ENOENT (No such file or directory)
8  connect(19<socket:[1]>, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.7")}, 16) = -1 ENETUNREACH (Network is unreachable)
8  connect(20<socket:[2]>, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 ENETUNREACH (Network is unreachable)
`,
      "node",
    );
    expect(trace).toEqual({
      refused: [
        { path: "/root/.ssh/id", access: "read" },
        { path: "/run/home/notes.txt", access: "write" },
        { path: "/data/list", access: "read" },
        { path: '/etc/é"x', access: "look" },
        { path: "/made", access: "write" },
      ],
      programs: ["node", "git"],
      missing: ["/root/bin/own"],
      addresses: [
        { host: "192.0.2.7", port: 443 },
        { host: "2001:db8::1", port: 80 },
      ],
    });
  });

  it("can be anything, in bounded time and size", () => {
    const pieces = fc.constantFrom(
      "1  openat(",
      "AT_FDCWD</",
      '"',
      "\\",
      ">",
      ", ",
      ") = -1 ENOENT (x)",
      "\n",
      "a/",
      "execve(",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 200 }), (parts) => {
        const began = performance.now();
        readTrace(started + parts.join(""), "node");
        return performance.now() - began < 2000;
      }),
    );
    const many = Array.from({ length: 5000 }, (_, at) => `8  stat("/x${at}") = -1 ENOENT (No)`).join("\n");
    expect(readTrace(started + many, "node").refused.length).toBe(2000);
  });
});
