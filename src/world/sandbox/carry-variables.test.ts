import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { carryVariables } from "./carry-variables.js";

/** What a command would find in its environment. */
function carried(env: Readonly<Record<string, string>>): Record<string, string> {
  const { initial, script } = carryVariables(env);
  const text = execFileSync("/bin/bash", ["-c", `${script}exec /usr/bin/env -0`], {
    env: Object.fromEntries(initial),
    encoding: "utf8",
  });
  const pairs = text.split("\0").filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

it("carries every variable under its own name, whatever the shell thinks of it", () => {
  const env = {
    A: "1 '\"\n$x",
    LD_PRELOAD: "",
    "odd.name": "2",
    UID: "0",
    RANDOM: "3",
    SECONDS: "4",
    LINENO: "5",
    EUID: "6",
    PPID: "7",
    OPTIND: "8",
    _: "9",
  };
  const { initial, script } = carryVariables(env);
  // What the shell in between could obey has another name until the command starts.
  expect(initial.map(([name]) => name)).toEqual([
    "odd.name",
    "UID",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "EUID",
    "PPID",
    "OPTIND",
    "_",
    "TENON_CARRIED_0",
    "TENON_CARRIED_1",
  ]);
  expect(script).toBe(
    'export A="$TENON_CARRIED_0"; unset TENON_CARRIED_0\nexport LD_PRELOAD="$TENON_CARRIED_1"; unset TENON_CARRIED_1\n',
  );
  expect(carried({ A: "1 '\"\n$x", "odd.name": "2" })).toMatchObject({ A: "1 '\"\n$x", "odd.name": "2" });
});

it("leaves out what affects every shell, and moves the folder for temporary files", () => {
  const env = {
    "BASH_FUNC_ls%%": "() { :; }",
    SHELLOPTS: "x",
    PWD: "/",
    TENON_CARRIED_0: "x",
    "": "x",
    "a=b": "x",
  };
  expect(carryVariables(env)).toEqual({ initial: [], script: "" });
  expect(carried({ TMPDIR: "/elsewhere" })).toMatchObject({ TMPDIR: "/tmp" });
});
