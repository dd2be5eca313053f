import type { LanguageSyntax } from "./language.js";

export const go: LanguageSyntax = {
  grammar: "go",
  query: `
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @owner
  (pointer_type (type_identifier) @owner)
  (generic_type type: (type_identifier) @owner)
  (pointer_type (generic_type type: (type_identifier) @owner))
])) name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(field_declaration name: (field_identifier) @name) @field
(method_elem name: (field_identifier) @name) @method
(const_spec (identifier) @name) @constant
(var_spec name: (identifier) @name) @variable
`,
};

export const rust: LanguageSyntax = {
  grammar: "rust",
  query: `
(mod_item name: (identifier) @name) @module
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @member
(trait_item name: (type_identifier) @name) @interface
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
]) @implementation
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(field_declaration name: (field_identifier) @name) @field
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(macro_definition name: (identifier) @name) @macro
`,
};

export const java: LanguageSyntax = {
  grammar: "java",
  query: `
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @member
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @field))
(module_declaration name: (_) @name) @module
`,
};

export const csharp: LanguageSyntax = {
  grammar: "c-sharp",
  query: `
(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @member
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(destructor_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @field
(event_declaration name: (identifier) @name) @field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(record_declaration (parameter_list (parameter name: (identifier) @name) @field))
`,
};

/** C++, and C, of which it is close to a superset. */
export const cpp: LanguageSyntax = {
  grammar: "cpp",
  query: `
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
(namespace_definition name: (_) @name) @module
(class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_)) @class
(struct_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)] body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @member
(type_definition declarator: (_) @declarator) @type
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(function_definition declarator: (_) @declarator) @function
(field_declaration declarator: (_) @declarator) @field
(declaration declarator: (_) @declarator) @variable
`,
};
