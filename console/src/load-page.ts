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

/** The component of a page; its file is loaded when it is first shown, that of the first page comes with the console. */
export function pageView(name: PageName): ComponentType<PageProps> {
  if (name === "live") return LivePage;
  const load = files[`./pages/${name}/${name}-page.tsx`];
  if (load === undefined) throw new Error(`The page "${name}" has no file.`);
  return lazy(load);
}
