import { describe, expect, it } from "vitest";
import { analyseCommand } from "../command/analyse-command.js";
import { commandLines } from "./shell-commands.js";

const linesOf = (line: string): readonly string[] => commandLines(analyseCommand(line, { workspace: "/ws" }));

describe("the commands that a person is shown", () => {
  it("are all commands of the line, each once", () => {
    expect(linesOf("make; make && make test")).toEqual(["make", "make test"]);
  });

  it("are 50, and how many more there are", () => {
    const many = (count: number): string => Array.from({ length: count }, (_, at) => `run ${at}`).join("; ");
    expect(linesOf(many(50))).toHaveLength(50);
    const lines = linesOf(many(53));
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe("… 3 more commands");
  });

  it.each<[string, readonly string[]]>([
    ["A='x y' make > out.txt", ["A='x y' make > out.txt   # A is set for it"]],
    ["cat <<EOF\nhi\nEOF", ["cat << (text in the arguments)   # only reads"]],
    ["cat <<< word", ["cat <<< 'word\n'   # only reads"]],
    ["bash -c 'ls -la; rm x'", ["ls -la   # in bash -c; only reads", "rm x   # in bash -c"]],
    ["git push", ["git push"]],
    ['echo "it\'s"', ["echo 'it'\\''s'   # only reads"]],
    ["$X y", ["$X y   # which program it starts is only known when it runs"]],
    ["# nothing", []],
  ])("are shown of %j as %j", (line, shown) => {
    expect(linesOf(line)).toEqual(shown);
  });

  it("say what of the line is not known", () => {
    const lines = linesOf("echo 'unclosed");
    expect(lines.at(-1)).toMatch(/^… not known: \S/);
  });
});
