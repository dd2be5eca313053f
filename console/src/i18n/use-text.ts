import { createContext, use } from "react";
import type { TextKey } from "./en.js";

export type { TextKey } from "./en.js";

/** What stands for `{name}` in a text. */
export type TextValues = Readonly<Record<string, string | number>>;

/** Look a text up; `{name}` in it is replaced by the value of that name. */
export type Translate = (key: TextKey, values?: TextValues) => string;

export const TextContext = createContext<Translate>((key) => key);

/** The texts in the language of the person. */
export function useText(): Translate {
  return use(TextContext);
}

/** The texts of one language. */
export type Texts = Readonly<Record<TextKey, string>>;

export function createTranslate(dictionary: Texts): Translate {
  return (key, values) => fillIn(dictionary[key], values);
}

/** A text with its values in place; `{n:call|calls}` is the first word where `n` is 1. */
export function fillIn(text: string, values?: TextValues): string {
  if (values === undefined) return text;
  return text.replace(
    /(\p{Script=Han}?)\{(\w+)(?::([^|}]+)\|([^}]+))?\}/gu,
    (whole, before: string, name: string, one?: string, many?: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      const filled =
        one === undefined || many === undefined ? String(value) : String(value) === "1" ? one : many;
      // Chinese is set apart from Latin words and numbers.
      return before !== "" && /^[\w(]/.test(filled) ? `${before} ${filled}` : `${before}${filled}`;
    },
  );
}
