import { useText } from "../i18n/use-text.js";
import { hrefOf } from "../route.js";
import { PlainText } from "../text/plain-text.js";

/** What is shown for an address that no page has. */
export function UnknownPage() {
  const t = useText();
  return (
    <div className="flex max-w-prose flex-col gap-3">
      <p>
        {t("unknown.text")}{" "}
        <code className="wrap-anywhere">
          <PlainText text={window.location.hash} line />
        </code>
      </p>
      <p>
        <a className="text-accent underline" href={hrefOf("live")}>
          {t("unknown.home")}
        </a>
      </p>
    </div>
  );
}
