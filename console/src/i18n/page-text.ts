import { useMemo } from "react";
import { usePreferences } from "../preferences.js";
import { fillIn, type TextValues } from "./use-text.js";

/** The texts of one page, loaded with it. */
export interface PageText<K extends string> {
  readonly en: Readonly<Record<K, string>>;
  readonly zh: Readonly<Record<K, string>>;
}

/** Declare the texts of a page; the compiler asks for each in every language. */
export function definePageText<const K extends string>(
  en: Readonly<Record<K, string>>,
  zh: Readonly<Record<NoInfer<K>, string>>,
): PageText<K> {
  return { en, zh };
}

/** The texts of a page in the language of the person. */
export function usePageText<K extends string>(text: PageText<K>): (key: K, values?: TextValues) => string {
  const { language } = usePreferences();
  return useMemo(() => (key, values) => fillIn(text[language][key], values), [text, language]);
}
