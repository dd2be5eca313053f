import { describe, expect, it } from "vitest";
import { commandEnv } from "./command-env.js";
import { buildStartScript } from "./start-script.js";

const scriptWith = (env: Record<string, string>): string =>
  buildStartScript({
    id: 1,
    launch: { file: "/bin/bash", args: ["-c", "true"], cwd: "/", env },
    fifos: { outputs: ["/1", "/2"] },
    files: [],
    helperFds: [],
  });

describe("the start of a command", () => {
  it("takes no other program to set the variables that every command gets", () => {
    const session = new Map([
      ["OPTIONS", "-v"],
      ["COMPOSE_FILE", "a.yml"],
    ]);
    const common = { isVisible: () => true, tags: { TENON_CALL: "1" }, pty: false, isSandboxed: true };
    const env = commandEnv({ session, ...common });
    expect(scriptWith(env)).not.toContain("/usr/bin/env");
  });

  it.each(["COMP_WORDBREAKS", "COMPREPLY", "OPTIND", "BASHOPTS", "IFS"])("leaves %s to env", (name) => {
    expect(scriptWith({ [name]: "a" })).toContain(`exec /usr/bin/env ${name}=a /bin/bash`);
  });
});
