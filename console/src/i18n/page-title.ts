import { useCallback } from "react";
import { type PageName, pages } from "../pages.js";
import { usePreferences } from "../preferences.js";

/** The title of a page in the language of the person. */
export function usePageTitle(): (name: PageName) => string {
  const { language } = usePreferences();
  return useCallback((name) => pages.find((page) => page.name === name)?.[language] ?? name, [language]);
}
