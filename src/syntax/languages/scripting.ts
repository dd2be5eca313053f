import type { LanguageSyntax } from "./language.js";

export const python: LanguageSyntax = {
  grammar: "python",
  query: `
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(assignment left: (identifier) @name) @variable
(assignment left: (pattern_list (identifier) @name)) @variable
(type_alias_statement left: (type (identifier) @name)) @type
`,
};

export const ruby: LanguageSyntax = {
  grammar: "ruby",
  query: `
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @module
(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @constant
(assignment left: (global_variable) @name) @variable
(assignment left: (class_variable) @name) @field
(alias name: (_) @name) @function
(call method: (identifier) @_accessor arguments: (argument_list (simple_symbol) @name @field)
  (#any-of? @_accessor "attr_accessor" "attr_reader" "attr_writer"))
(call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) (#any-of? @_define "define_method" "alias_method")) @function
`,
};

/** PHP, with or without HTML around it. */
export const php: LanguageSyntax = {
  grammar: "php",
  query: `
(namespace_definition name: (_) @name) @module
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @member
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(property_promotion_parameter name: (variable_name (name) @name)) @field
(assignment_expression left: (variable_name (name) @name) right: [(anonymous_function) (arrow_function)]) @function
(expression_statement (assignment_expression left: (variable_name (name) @name))) @variable
(function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name))) (#eq? @_define "define")) @constant
`,
};

/** Bash and sh. */
export const bash: LanguageSyntax = {
  grammar: "bash",
  query: `
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @variable
(command name: (command_name (word) @_alias) argument: (concatenation . (word) @name) (#eq? @_alias "alias")) @function
`,
};

export const powershell: LanguageSyntax = {
  grammar: "powershell",
  isSlowToCompile: true,
  query: `
(function_statement (function_name) @name) @function
(class_statement . (simple_name) @name) @class
(class_method_definition (simple_name) @name) @method
(class_property_definition (variable) @name) @field
(enum_statement . (simple_name) @name) @enum
(enum_member (simple_name) @name) @member
`,
};
