import { createContext, use, useSyncExternalStore } from "react";

export type Theme = "light" | "dark";
export type Language = "en" | "zh";

export interface Preferences {
  readonly theme: Theme;
  readonly language: Language;
}

/** What the person chose, kept in the browser; until then what the browser says. */
export interface PreferenceStore {
  readonly read: () => Preferences;
  readonly set: (change: Partial<Preferences>) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export const PreferenceContext = createContext<PreferenceStore | null>(null);

/** The choices and how to change them. */
export function usePreferences(): Preferences & { readonly set: PreferenceStore["set"] } {
  const store = use(PreferenceContext);
  if (store === null) throw new Error("There are no preferences above this component.");
  return { ...useSyncExternalStore(store.subscribe, store.read), set: store.set };
}

/** @param window Its storage, its languages and its color scheme are asked. */
export function createPreferences(window: Window): PreferenceStore {
  const listeners = new Set<() => void>();
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const load = (): Preferences => ({
    theme: oneOf(recall(window, "theme"), ["light", "dark"]) ?? (dark.matches ? "dark" : "light"),
    language:
      oneOf(recall(window, "language"), ["en", "zh"]) ??
      (/^zh/i.test(window.navigator.language) ? "zh" : "en"),
  });
  let current = load();
  const apply = () => {
    window.document.documentElement.dataset["theme"] = current.theme;
    window.document.documentElement.lang = current.language === "zh" ? "zh-CN" : "en";
    for (const listener of listeners) listener();
  };
  dark.addEventListener("change", () => {
    current = load();
    apply();
  });
  apply();
  return {
    read: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(change) {
      for (const [key, value] of Object.entries(change)) remember(window, key, value);
      current = { ...current, ...change };
      apply();
    },
  };
}

function oneOf<T extends string>(value: string | null, allowed: readonly T[]): T | undefined {
  return allowed.find((candidate) => candidate === value);
}

function recall(window: Window, key: string): string | null {
  try {
    return window.localStorage.getItem(`tenon.${key}`);
  } catch {
    return null; // The browser keeps nothing for this page.
  }
}

function remember(window: Window, key: string, value: string): void {
  try {
    window.localStorage.setItem(`tenon.${key}`, value);
  } catch {
    // It holds until the page is closed.
  }
}
