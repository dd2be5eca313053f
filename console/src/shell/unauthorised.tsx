import type { LoginMethods } from "../api/types.js";
import { useApi } from "../api/use-api.js";
import { useText } from "../i18n/use-text.js";

/** What is shown to a browser that is not signed in. */
export function Unauthorised() {
  const t = useText();
  // A server without an identity provider does not know the address.
  const { data, isPending } = useApi<LoginMethods>("/login-methods");
  if (isPending) return null;
  const returnTo = encodeURIComponent(`/${window.location.hash}`);
  return (
    <main className="mx-auto flex h-full max-w-lg flex-col justify-center gap-3 p-6">
      <h1 className="text-lg font-semibold">{t(data ? "unauthorised.signIn" : "unauthorised.title")}</h1>
      {data && (
        <a
          href={`${data.signIn}?returnTo=${returnTo}`}
          className="self-start rounded border border-accent px-3 py-1.5 font-medium text-accent"
        >
          {t("unauthorised.provider")}
        </a>
      )}
      <p>{t(data ? "unauthorised.orLink" : "unauthorised.text")}</p>
      <pre className="rounded border border-line bg-sunk p-3 font-mono text-xs">tenon serve link</pre>
      <p className="text-muted">{t("unauthorised.hint")}</p>
    </main>
  );
}
