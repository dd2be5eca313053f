import { cpp, csharp, go, java, rust } from "./compiled.js";
import { javascript, tsx, typescript } from "./javascript.js";
import type { LanguageSyntax } from "./language.js";
import { css, ini } from "./markup.js";
import { bash, php, powershell, python, ruby } from "./scripting.js";

/** The languages whose definitions can be found, by the names that files and people use for them. */
export const languages: ReadonlyMap<string, LanguageSyntax> = new Map([
  ["typescript", typescript],
  ["tsx", tsx],
  ["javascript", javascript],
  ["jsx", javascript],
  ["python", python],
  ["go", go],
  ["rust", rust],
  ["java", java],
  ["c", cpp],
  ["c++", cpp],
  ["cpp", cpp],
  ["c#", csharp],
  ["csharp", csharp],
  ["ruby", ruby],
  ["php", php],
  ["bash", bash],
  ["shell", bash],
  ["sh", bash],
  ["zsh", bash],
  ["css", css],
  ["powershell", powershell],
  ["ini", ini],
]);
