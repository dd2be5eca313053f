import { describe, expect, it } from "vitest";
import { detectLanguage, languageOfName } from "./detect-language.js";

describe("detectLanguage", () => {
  it.each([
    ["a.ts", "typescript"],
    ["a.d.ts", "typescript"],
    ["a.mts", "typescript"],
    ["A.TSX", "tsx"],
    ["a.js", "javascript"],
    ["a.jsx", "javascript"],
    ["a.cjs", "javascript"],
    ["dir/a.py", "python"],
    ["a.rs", "rust"],
    ["a.go", "go"],
    ["a.java", "java"],
    ["a.kt", "kotlin"],
    ["a.swift", "swift"],
    ["a.c", "c"],
    ["a.h", "c"],
    ["a.cpp", "cpp"],
    ["a.hpp", "cpp"],
    ["a.cs", "csharp"],
    ["a.fs", "fsharp"],
    ["a.rb", "ruby"],
    ["a.php", "php"],
    ["a.pl", "perl"],
    ["a.sh", "shell"],
    ["a.ps1", "powershell"],
    ["a.sql", "sql"],
    ["a.html", "html"],
    ["a.css", "css"],
    ["a.scss", "scss"],
    ["a.vue", "vue"],
    ["a.json", "json"],
    ["a.yml", "yaml"],
    ["a.toml", "toml"],
    ["a.ini", "ini"],
    ["a.xml", "xml"],
    ["a.svg", "svg"],
    ["a.md", "markdown"],
    ["a.txt", "plaintext"],
    ["a.r", "r"],
    ["a.lua", "lua"],
    ["a.ex", "elixir"],
    ["a.hs", "haskell"],
    ["a.scala", "scala"],
    ["a.dart", "dart"],
    ["a.zig", "zig"],
    ["a.tex", "tex"],
    ["a.proto", "protocol-buffer"],
    ["a.graphql", "graphql"],
    ["a.m", "objective-c"],
    ["Makefile", "makefile"],
    ["Dockerfile", "dockerfile"],
    ["Dockerfile.dev", "dockerfile"],
    ["CMakeLists.txt", "cmake"],
    [".env.local", "dotenv"],
    [".bashrc", "shell"],
    ["no-such.ending", "plaintext"],
    ["", "plaintext"],
  ])("knows %j as %s", (path, language) => {
    expect(detectLanguage(path)).toBe(language);
  });

  it.each([
    ["run", "#!/usr/bin/env python3.12\n", "python"],
    ["run", "#!/bin/bash -e\n", "shell"],
    ["run", "#!/usr/bin/env -S deno run\n", "typescript"],
    ["run", "#!/usr/bin/env NODE_ENV=x node\n", "javascript"],
    ["run", "# -*- mode: ruby -*-\n", "ruby"],
    ["run", "# vim: set ft=python :\n", "python"],
    ["data", '{ "a": 1 }', "json"],
    ["page", "<!DOCTYPE html>\n", "html"],
    ["change", "diff --git a/x b/x\n", "diff"],
    ["change", "--- a/x\n+++ b/x\n", "diff"],
    ["change", "--- a/x\n", "plaintext"],
    ["doc", '<?xml version="1.0"?>', "xml"],
    ["x.h", "namespace a {\nclass B {};\n}", "cpp"],
    ["x.h", "@interface A : NSObject\n@end", "objective-c"],
    ["x.m", "% a comment\nfunction y = f(x)\nend\n", "matlab"],
    ["x.ts", '<?xml version="1.0"?><TS></TS>', "xml"],
    ["x.pl", ":- module(a, [b/1]).\n", "prolog"],
    ["x.ts", "const a = 1;", "typescript"],
  ])("reads %j with %j as %s", (path, head, language) => {
    expect(detectLanguage(path, head)).toBe(language);
  });

  it("says nothing of a name that says nothing", () => {
    expect(languageOfName("LICENSE-thing")).toBeUndefined();
    expect(languageOfName("constructor")).toBeUndefined();
    expect(languageOfName("a.__proto__")).toBeUndefined();
  });
});
