import { type ComponentType, lazy } from "react";
import type { PageName } from "./pages.js";
import LivePage from "./pages/live/live-page.js";

/** What a page is given: the part of the address after its name. Its filters come from `useAddress`. */
export interface PageProps {
  readonly id?: string | undefined;
}

const files = import.meta.glob<{ readonly default: ComponentType<PageProps> }>([
  "./pages/*/*-page.tsx",
  "!./pages/live/*",
]);

/** The component of a page; that of the first one comes with the console, the others have a file of their own. */
export function pageView(name: PageName): ComponentType<PageProps> {
  if (name === "live") return LivePage;
  const load = files[`./pages/${name}/${name}-page.tsx`];
  if (load === undefined) throw new Error(`The page "${name}" has no file.`);
  return lazy(load);
}

/** Load all that is not shown yet, so that it opens at once, and still does when the server is away or has another version. */
export async function loadAhead(): Promise<void> {
  const dialogs = [() => import("./shell/palette.js"), () => import("./shell/keys-dialog.js")];
  for (const load of [...dialogs, ...Object.values(files)])
    if (!(await load().then(Boolean, () => false))) return; // The server is away: each is loaded when it is shown.
}
