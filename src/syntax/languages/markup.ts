import type { LanguageSyntax } from "./language.js";

export const css: LanguageSyntax = {
  grammar: "css",
  query: `
(class_selector (class_name) @name) @selector
(id_selector (id_name) @name) @selector
(keyframes_statement (keyframes_name) @name) @selector
(declaration (property_name) @name (#match? @name "^--")) @variable
`,
};

/** INI and its relatives. */
export const ini: LanguageSyntax = {
  grammar: "ini",
  query: `
(section (section_name (text) @name)) @section
(setting (setting_name) @name) @key
`,
};
