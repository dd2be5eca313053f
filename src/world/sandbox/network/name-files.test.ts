import { expect, it } from "vitest";
import { withUser } from "./name-files.js";

const accounts = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann:/home/ann:/bin/zsh\n";

it("gives the user inside the home folder of the person, once and under the same name", () => {
  const inside = { uid: 1000, gid: 1000, home: "/root" };
  expect(withUser(accounts, inside)).toBe(
    "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000::/root:/bin/sh\n",
  );
  expect(withUser("", { ...inside, uid: 7, gid: 8 })).toBe("user:x:7:8::/root:/bin/sh\n");
  expect(withUser("", { ...inside, home: "/x\nroot:x:1000:0" })).toBe("user:x:1000:1000::/:/bin/sh\n");
});
