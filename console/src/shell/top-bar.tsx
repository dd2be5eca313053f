import { useEffect, useState } from "react";
import { forgetPageSecret } from "../api/page-secret.js";
import { ApiFault, change } from "../api/request.js";
import type { About, SignedOut } from "../api/types.js";
import { useApi } from "../api/use-api.js";
import type { Connection } from "../feed/feed-state.js";
import { useFeed, useFeedStore } from "../feed/use-feed.js";
import { useText } from "../i18n/use-text.js";
import { useWord } from "../i18n/use-word.js";
import { usePreferences } from "../preferences.js";
import type { PageName } from "../pages.js";
import { PlainText } from "../text/plain-text.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Icon } from "./icon.js";
import { Navigation } from "./sidebar.js";

const dots: Record<Connection, string> = {
  open: "bg-ok",
  connecting: "bg-warn",
  lost: "bg-bad",
  away: "bg-warn",
  unauthorised: "bg-bad",
};

interface TopBarProps {
  readonly page: PageName | undefined;
  readonly waiting: number;
  readonly onPalette: () => void;
}

/** The line above all pages: where we are, how it stands, and the choices of the person. */
export function TopBar({ page, waiting, onPalette }: TopBarProps) {
  const t = useText();
  const [menu, setMenu] = useState(false);
  const about = useApi<About>("/api/about", { everyMs: 30_000 }).data;
  useEffect(() => setMenu(false), [page]);
  return (
    <header className="relative flex min-h-11 items-center gap-1 border-b border-line bg-panel px-1 sm:gap-3 sm:px-3">
      <Button look="quiet" className="md:hidden" aria-expanded={menu} onClick={() => setMenu(!menu)}>
        <Icon name="menu" />
        <span className="sr-only">{t("nav.label")} </span>
        {waiting > 0 && <Badge tone="warn">{waiting}</Badge>}
      </Button>
      <span className="flex items-center gap-2 font-semibold">
        <img src="./icon.svg" alt="" className="size-5" />
        <span className="hidden sm:inline">Tenon</span>
      </span>
      {about !== undefined && <AboutLine about={about} />}
      <span className="ml-auto" />
      <Button look="quiet" aria-label={t("palette.open")} title="Ctrl K" onClick={onPalette}>
        <Icon name="find" />
      </Button>
      <ConnectionDot />
      <Choices />
      {menu && (
        <nav
          aria-label={t("nav.label")}
          className="absolute top-full left-0 z-30 max-h-[80vh] w-56 overflow-y-auto border border-line bg-panel p-2 shadow-lg md:hidden"
        >
          <Navigation page={page} waiting={waiting} onGo={() => setMenu(false)} />
        </nav>
      )}
    </header>
  );
}

function AboutLine({ about }: { readonly about: About }) {
  const t = useText();
  const wordOf = useWord();
  return (
    <div className="hidden min-w-0 items-center gap-2 text-xs text-muted sm:flex">
      <span className="truncate font-mono" title={about.workspace}>
        <PlainText text={about.workspace} line />
      </span>
      <Badge>{t("about.mode", { mode: wordOf(about.mode) })}</Badge>
      <span title={about.sandbox.reason}>
        <Badge tone={about.sandbox.held ? "ok" : "warn"}>
          {about.sandbox.held ? t("about.sandbox") : t("about.noSandbox")}
        </Badge>
      </span>
      <span className="hidden whitespace-nowrap lg:inline">v{about.version}</span>
    </div>
  );
}

function ConnectionDot() {
  const t = useText();
  const connection = useFeed((state) => state.connection);
  return (
    <span className="flex items-center gap-1.5 text-xs text-muted" data-connection={connection}>
      <span className={`size-2 rounded-full ${dots[connection]}`} />
      <span className="hidden sm:inline">{t(`connection.${connection === "open" ? "open" : "off"}`)}</span>
    </span>
  );
}

function Choices() {
  const t = useText();
  const { theme, language, set } = usePreferences();
  return (
    <div className="flex items-center sm:gap-1">
      <NotificationButton />
      <Button look="quiet" onClick={() => set({ language: language === "en" ? "zh" : "en" })}>
        <Icon name="globe" />
        <span className="sr-only" lang={language === "en" ? "zh-CN" : "en"}>
          {t("choice.language")}{" "}
        </span>
        {language === "en" ? "EN" : "ZH"}
      </Button>
      <Button
        look="quiet"
        aria-label={theme === "dark" ? t("choice.light") : t("choice.dark")}
        onClick={() => set({ theme: theme === "dark" ? "light" : "dark" })}
      >
        <Icon name={theme === "dark" ? "sun" : "moon"} />
      </Button>
      <SignOutButton />
    </div>
  );
}

/** Ends the session of this browser, in all its tabs. */
function SignOutButton() {
  const t = useText();
  const store = useFeedStore();
  const signOut = async () => {
    const answer = await change<SignedOut>("POST", "/api/sign-out").catch((fault: unknown) => {
      // A session that is over already needs no end.
      if (!(fault instanceof ApiFault && fault.status === 401)) throw fault;
    });
    forgetPageSecret(window);
    store.connection("unauthorised");
    // The provider's own session would sign anybody in again.
    if (answer?.next !== undefined) window.location.assign(answer.next);
  };
  return (
    <Button look="quiet" aria-label={t("choice.signOut")} onClick={() => void signOut()}>
      <Icon name="leave" />
    </Button>
  );
}

/** Browsers ask for the permission only after a click, so there is something to click. */
function NotificationButton() {
  const t = useText();
  const [permission, setPermission] = useState(() =>
    "Notification" in window ? Notification.permission : "denied",
  );
  if (permission !== "default") return null;
  return (
    <Button
      look="quiet"
      aria-label={t("choice.notify")}
      onClick={() => void Notification.requestPermission().then(setPermission)}
    >
      <Icon name="bell" />
    </Button>
  );
}
