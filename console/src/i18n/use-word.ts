import { useCallback } from "react";
import { usePreferences } from "../preferences.js";
import { chineseWords } from "./chinese-words.js";

/** A word of the server in the language of the person; one that is not known stays as it is. */
export function useWord(): (word: string) => string {
  const { language } = usePreferences();
  return useCallback(
    (word) => {
      if (language !== "zh") return word.replaceAll("_", " ");
      const key = word.toLowerCase();
      return Object.hasOwn(chineseWords, key) ? (chineseWords[key] ?? word) : word;
    },
    [language],
  );
}
