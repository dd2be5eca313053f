import { useEffect } from "react";
import type { About } from "../api/types.js";
import { useApi } from "../api/use-api.js";
import { useText } from "../i18n/use-text.js";
import { Button } from "../ui/button.js";

/** Tells that the server now belongs to another version of the console than the one that is open. */
export function VersionBanner() {
  const t = useText();
  const { data: about, refetch } = useApi<About>("/api/about", { everyMs: 30_000 });
  // A file of this version that is not there any more is the first sign of another one.
  useEffect(() => {
    const look = () => void refetch();
    window.addEventListener("vite:preloadError", look);
    return () => window.removeEventListener("vite:preloadError", look);
  }, [refetch]);
  const own = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? "";
  const expected = about?.consoleScript;
  if (expected === undefined || own === "" || own.endsWith(expected)) return null;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-2 border-b border-warn bg-warn-soft px-4 py-1.5 text-xs font-medium text-warn"
    >
      {t("version.changed")}
      <Button onClick={() => window.location.reload()}>{t("reload")}</Button>
    </div>
  );
}
