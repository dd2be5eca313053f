import { useEffect, useRef } from "react";
import { pages } from "../pages.js";
import { hrefOf, navigate } from "../route.js";
import { isTyping } from "../ui/is-typing.js";

interface ShellKeys {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
  /** The page that is shown has a list of keys of its own. */
  readonly ownHelp: boolean;
}

/** How long `g` waits for the letter of a page. */
const goMs = 1500;

/** Keys that work on every page: Ctrl-K, `/`, `?`, and `g` with the letter of a page. */
export function useShellKeys(keys: ShellKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        latest.current.onPalette();
        return;
      }
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      const page = event.timeStamp < goUntil ? pages.find(({ key }) => key === event.key) : undefined;
      goUntil = event.key === "g" ? event.timeStamp + goMs : 0;
      if (page !== undefined) {
        event.preventDefault();
        event.stopImmediatePropagation();
        navigate(hrefOf(page.name));
      } else if (event.key === "/") {
        event.preventDefault();
        focusSearch();
      } else if (event.key === "?" && !latest.current.ownHelp) latest.current.onHelp();
    };
    // Before the keys of a page: `g a` must not approve anything.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, []);
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("main [data-search], main input[type=search]");
  field?.focus();
  field?.select();
}
