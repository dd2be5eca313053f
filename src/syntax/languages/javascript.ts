import type { LanguageSyntax } from "./language.js";

const functionValue = "[(arrow_function) (function_expression) (generator_function)]";
const propertyName = "[(property_identifier) (private_property_identifier) (string) (number)]";

/** What JavaScript and TypeScript share. */
const shared = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(method_definition name: ${propertyName} @name) @method
(variable_declarator name: (identifier) @name value: ${functionValue}) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @variable
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @variable
(variable_declarator name: (array_pattern (identifier) @name)) @variable
(pair key: ${propertyName} @name value: ${functionValue}) @method
(assignment_expression left: (member_expression property: (property_identifier) @name) right: ${functionValue}) @function
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (class)) @class
(assignment_expression right: (class name: (_) @name) @class)
(assignment_expression right: (function_expression name: (_) @name) @function)
`;

/** JavaScript with JSX. */
export const javascript: LanguageSyntax = {
  grammar: "javascript",
  query: `${shared}
(class_declaration name: (_) @name) @class
(field_definition property: ${propertyName} @name value: ${functionValue}) @method
(field_definition property: ${propertyName} @name) @field
`,
};

const typed = `${shared}
(class_declaration name: (_) @name) @class
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (_) @name @member)
(enum_assignment name: (_) @name) @member
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(function_signature name: (_) @name) @function
(abstract_method_signature name: ${propertyName} @name) @method
(method_signature name: ${propertyName} @name) @method
(property_signature name: ${propertyName} @name) @field
(public_field_definition name: ${propertyName} @name value: ${functionValue}) @method
(public_field_definition name: ${propertyName} @name) @field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
`;

export const typescript: LanguageSyntax = { grammar: "typescript", query: typed };

export const tsx: LanguageSyntax = { grammar: "tsx", query: typed };
