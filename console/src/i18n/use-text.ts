import { createContext, use } from "react";
import type { TextKey } from "./en.js";

export type { TextKey } from "./en.js";

/** Look a text up; `{name}` in it is replaced by the value of that name. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export const TextContext = createContext<Translate>((key) => key);

/** The texts in the language of the person. */
export function useText(): Translate {
  return use(TextContext);
}

/** @param dictionary The texts of one language. */
export function createTranslate(dictionary: Readonly<Record<TextKey, string>>): Translate {
  return (key, values) =>
    values === undefined
      ? dictionary[key]
      : dictionary[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
