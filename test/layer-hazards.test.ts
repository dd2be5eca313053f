import { describe, expect, it } from "vitest";
import { play, users } from "./fixtures/layer-scenes.js";
import { isLongRun } from "./setup/random-cases.js";

/** Name, command, what to look at, what is there then, and what is held back. */
const hazards: readonly (readonly [string, string, string, string, readonly string[]])[] = [
  ["a sparse file of 10 GB", "truncate -s 10G sparse", "stat -c '%s %b' sparse", "10737418240 0\n", []],
  [
    "files that cannot be read",
    "echo s >dark; chmod 000 dark; chmod 000 old",
    "stat -c '%n %F %a %s' dark old",
    "dark regular file 0 2\nold regular file 0 4\n",
    [],
  ],
  [
    "names that are not valid UTF-8",
    String.raw`bad=$(printf 'b\377d'); printf x >"$bad"; printf x >dir/"$bad"; mkdir "dir/n$bad"; echo f >"dir/n$bad/f"; ln -s x "l$bad"; mkdir new; printf y >"new/$(printf 'q\376')"; mkfifo new/pipe; cd odd; echo more >>"$(printf 'was\377')"; rm "$(printf 'gone\377')"; touch "$(printf 'dir\377/in')"`,
    "cat new/q* b*d dir/b*d dir/nb*d/f odd/was*; readlink l*d; ls odd odd/dir*",
    "yxxf\nwas\nmore\nx\nodd:\ndir\uFFFD\nwas\uFFFD\n\nodd/dir\uFFFD:\nin\n",
    ["new/pipe"],
  ],
  [
    "names with line breaks and control characters",
    String.raw`n=$(printf 'a\nb'); echo 1 >"$n"; mkdir "d$n"; echo 2 >"d$n/$n"; mv old "$(printf 'o\033l')"`,
    `cat a*b da*/a*; ls -b`,
    "1\n2\na\\nb\nda\\nb\ndir\no\\033l\nodd\n",
    [],
  ],
  [
    "FIFOs, sockets and devices",
    `mkfifo pipe; mkdir with; mkfifo with/pipe; touch with/file; mknod null c 1 3; mknod zero c 0 0
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'; true`,
    "ls; ls with",
    "dir\nodd\nold\nwith\nfile\n",
    // The sandbox refuses sockets and devices.
    ["pipe", "with/pipe"],
  ],
  [
    "files that shall run as their owner or group, which the sandbox refuses",
    "touch own; chmod 4755 own; mkdir tools; touch tools/group; chmod 2711 tools/group; chmod u+s old; install -m 4755 old tools/copy; true",
    "stat -c '%n %a' old own tools/group",
    "old 644\nown 644\ntools/group 644\n",
    [],
  ],
  [
    "hard links",
    "echo 1 >one; ln one two; mkdir d; ln one d/three; ln old again; echo more >>again; ln old dir/deep/third; ln -P dir/deep/link d",
    "stat -c '%n %h' one two d/three old again dir/deep/third dir/deep/link d/link; cat old",
    "one 3\ntwo 3\nd/three 3\nold 3\nagain 3\ndir/deep/third 3\ndir/deep/link 2\nd/link 2\nold\nmore\n",
    [],
  ],
  [
    "links in circles",
    "mkdir deep; ln -s . deep/self; ln -s ../deep deep/up; ln -s ring deep/ring; ln -s b a; ln -s a b; rm -r dir; ln -s dir dir; ln -s /etc/passwd out",
    "readlink deep/self deep/up deep/ring a b dir out",
    ".\n../deep\nring\nb\na\ndir\n/etc/passwd\n",
    [],
  ],
  [
    "folders that become files and back",
    "rm -r dir; echo f >dir; rm dir; mkdir dir; echo n >dir/new; rm old; mkdir old; touch old/x; rm -r old; echo back >old",
    "ls dir; cat old",
    "new\nback\n",
    [],
  ],
  [
    "names that differ in case",
    "mv old OLD; mv dir/in dir/IN; mv dir Dir",
    "ls . Dir",
    ".:\nDir\nOLD\nodd\n\nDir:\nIN\ndeep\n",
    [],
  ],
  ["the removal of the workspace itself", 'rm -rf "$PWD"; rm -rf ./* ./.??*; true', "ls -A", "", []],
  [
    "extended attributes",
    `python3 -c 'import os; os.setxattr("old", "user.note", b"1")'; echo more >>old; mkdir moved; mv dir/in moved/; ln old moved/linked; rm -r dir/deep; mkdir dir/deep`,
    `python3 -c 'import os
for p in ("old", "moved", "moved/in", "moved/linked", "dir/deep"): print(p, os.listxattr(p))'`,
    "old ['user.note']\nmoved []\nmoved/in []\nmoved/linked ['user.note']\ndir/deep []\n",
    [],
  ],
];

/** What cannot be copied to another file system as it is, so that it is refused or becomes a file of its own. */
const notCopied = new Set([
  "a sparse file of 10 GB",
  "files that cannot be read",
  "hard links",
  "extended attributes",
]);

describe.each(users())("commands on layers as %s", (_, prefix) => {
  it.each([
    ["", false],
    [" from another file system", true],
  ])("commit and undo%s what is unusual", { timeout: 240_000 }, (_name, elsewhere) => {
    const setUp = `echo old >old; mkdir -p dir/deep; echo in >dir/in; echo deep >dir/deep/file; ln -s file dir/deep/link
mkdir odd; cd odd; echo was >"$(printf 'was\\377')"; echo gone >"$(printf 'gone\\377')"; mkdir "$(printf 'dir\\377')"`;
    const scene = hazards.map(([, command, look]) => ({ command, look: `${look} 2>/dev/null || true` }));
    const told = play(prefix, { setUp, steps: scene, elsewhere });
    for (const [at, [name, , , seen, held]] of hazards.entries()) {
      if (elsewhere && notCopied.has(name)) continue;
      expect({ name, ...told[at] }).toMatchObject({
        name,
        held,
        seen,
        again: seen,
        isUndone: true,
        notes: [],
      });
    }
  });

  it("hold back a folder that cannot be read, unless root can, and commit those that cannot be written", () => {
    const setUp = "mkdir shut dir; echo s >shut/s; chmod 555 shut";
    const cave = "mkdir cave; echo x >cave/in; chmod 000 cave; echo y >other";
    const closed =
      "mkdir -p new/in; echo n >new/in/n; chmod -R a-w new; echo d >dir/d; chmod 555 dir; chmod u+w shut; rm -r shut";
    const look = "stat -c '%n %a' * */in 2>/dev/null || true";
    const inPlace = "echo more >>shut/s; chmod u+w shut; echo n >shut/n; chmod 511 shut";
    const [told, other, third] = play(prefix, {
      setUp,
      steps: [
        { command: cave, look: "ls" },
        { command: closed, look },
        { command: inPlace, look: "stat -c %a shut; cat shut/*" },
      ],
    });
    const isRoot = prefix.length === 0 && process.getuid?.() === 0;
    const seen = `${isRoot ? "cave\n" : ""}dir\nother\nshut\n`;
    expect(told).toMatchObject({ held: isRoot ? [] : ["cave"], seen, again: seen, isUndone: true });
    const modes = "dir 555\nnew 555\nnew/in 555\n";
    expect(other).toMatchObject({ held: [], seen: modes, again: modes, isUndone: true });
    const opened = "511\nn\ns\nmore\n";
    expect(third).toMatchObject({ committed: "all", seen: opened, again: opened, isUndone: true });
  });

  it("hold back what is in a folder that cannot be read any more, a repository too", () => {
    const command =
      "echo x >dir/new; chmod 000 dir; echo x >.git/hooks/pre-commit; chmod 000 .git; echo y >other";
    const setUp = "mkdir dir; git init -q .";
    const [told] = play(prefix, {
      setUp,
      steps: [{ command, look: "ls; ls dir .git/hooks | grep -v sample" }],
    });
    const isRoot = prefix.length === 0 && process.getuid?.() === 0;
    const seen = `dir\nother\n.git/hooks:\n\ndir:\n${isRoot ? "new\n" : ""}`;
    const held = isRoot ? [".git/hooks/pre-commit"] : [".git", "dir"];
    expect(told).toMatchObject({ held, seen, again: seen, isUndone: true });
  });

  it("commit nothing if the layer's limit is reached, and say so", () => {
    const command = "echo x >small; head -c 30000000 /dev/zero >large; sleep 20";
    const [told] = play(prefix, { steps: [{ command, look: "ls" }], layers: { maxBytes: 1_000_000 } });
    expect(told).toMatchObject({ committed: "none", seen: "" });
    expect(told?.notes.join()).toMatch(/its changes took more than .*sandbox\.layers\.maxBytes/);
  });

  it("commit many files, in a new folder and in one that exists", { timeout: 600_000 }, () => {
    const count = isLongRun ? 100_000 : 300;
    const command = `mkdir new && cd new && seq ${count} | xargs touch && cd ../dir && seq ${count} | xargs touch`;
    const [told] = play(prefix, {
      setUp: "mkdir dir",
      steps: [{ command, look: "ls new | wc -l; ls dir | wc -l" }],
    });
    const seen = `${count}\n${count}\n`;
    expect(told).toMatchObject({ committed: "all", seen, again: seen, isUndone: true });
  });
});
