import { useEffect, useState } from "react";
import { serverClock } from "../api/server-clock.js";
import { useFeed } from "../feed/use-feed.js";
import { useText } from "../i18n/use-text.js";
import { toTime } from "../text/format.js";

/** Says that the server or its worker is gone, and since when what is shown is old. */
export function ConnectionBanner() {
  const t = useText();
  const connection = useFeed((state) => state.connection);
  const lost = connection === "lost" || connection === "away";
  const [since, setSince] = useState(0);
  useEffect(() => {
    if (lost) setSince(serverClock.now());
  }, [lost]);
  return (
    <div role="alert">
      {lost && (
        <p className="border-b border-bad bg-bad-soft px-4 py-1.5 text-xs font-medium text-bad">
          {t(connection === "away" ? "connection.away" : "connection.lost")}{" "}
          {since > 0 && t("connection.since", { time: toTime(since) })}
        </p>
      )}
    </div>
  );
}
