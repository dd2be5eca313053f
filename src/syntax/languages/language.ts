/**
 * How the definitions of a language are found. In the query, `@name` is the name; the other
 * capture is the whole definition and says its kind. A C declarator, which has its name somewhere
 * inside, is captured as `@declarator`; `@owner` names what a definition outside its type belongs to.
 * Where several patterns find the same name, the first one counts.
 */
export interface LanguageSyntax {
  /** The grammar's file in `@vscode/tree-sitter-wasm`, between `tree-sitter-` and `.wasm`. */
  readonly grammar: string;
  readonly query: string;
  /** Whether V8 takes seconds to optimize the grammar, during which no other grammar can be loaded. */
  readonly isSlowToCompile?: boolean;
}
