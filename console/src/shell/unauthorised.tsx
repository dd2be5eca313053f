import { useText } from "../i18n/use-text.js";

/** What is shown to a browser that is not signed in. */
export function Unauthorised() {
  const t = useText();
  return (
    <main className="mx-auto flex h-full max-w-lg flex-col justify-center gap-3 p-6">
      <h1 className="text-lg font-semibold">{t("unauthorised.title")}</h1>
      <p>{t("unauthorised.text")}</p>
      <pre className="rounded border border-line bg-sunk p-3 font-mono text-xs">tenon serve link</pre>
      <p className="text-muted">{t("unauthorised.hint")}</p>
    </main>
  );
}
