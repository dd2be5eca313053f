import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, openFixture } from "./sandbox.fixture.js";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture({ forbiddenPaths: ["**/*.pem"] });
});

afterAll(() => fixture.close());

/** The options that the program which builds the wall gets. */
async function optionsOf(command: Parameters<Fixture["wrap"]>[0]): Promise<string[]> {
  const wrapped = await fixture.wrap(command);
  await wrapped.finish();
  const [options] = wrapped.extraFds;
  return Buffer.from(options?.data ?? [])
    .toString()
    .split("\0");
}

describe("a command in the sandbox", () => {
  it("leads a session of its own, so that it cannot type into the terminal of the person", async () => {
    // Inside, a session that began outside has the number 0.
    const { stdout } = await fixture.sh("cut -d' ' -f6 /proc/self/stat");
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(await optionsOf({ argv: ["true"] })).toContain("--new-session");
    // A pseudo-terminal of its own needs the session that comes with it.
    expect(await optionsOf({ argv: ["true"], pty: true })).not.toContain("--new-session");
  });

  it("gets the folder hidden where more of its files are hidden than can be mounted, and is told so", async () => {
    fixture.write("work space/few/1.pem", "SECRET");
    fixture.write("work space/few/open", "open");
    const before = await fixture.wrap({ argv: ["true"] });
    await before.finish();
    expect(before.notes).toEqual([]);
    for (let at = 0; at < 450; at++) fixture.write(`work space/keys/${at}.pem`, "SECRET");
    fixture.write("work space/keys/open", "open");
    const wrapped = await fixture.wrap({ argv: ["true"] });
    await wrapped.finish();
    expect(wrapped.notes).toEqual([expect.stringContaining("keys")]);
    const { stdout } = await fixture.sh("cat keys/* few/*; ls keys");
    expect(stdout).toBe("open");
  });
});
