import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useFeed } from "./feed/use-feed.js";
import { loadTexts } from "./i18n/load-texts.js";
import { createTranslate, TextContext, type Texts, useText } from "./i18n/use-text.js";
import { usePageTitle } from "./i18n/page-title.js";
import { pageView } from "./load-page.js";
import { type PageName, pages } from "./pages.js";
import { usePreferences } from "./preferences.js";
import { useRoute } from "./route.js";
import { Attention } from "./shell/attention.js";
import { ConnectionBanner } from "./shell/connection-banner.js";
import { Boundary } from "./shell/boundary.js";
import { UnknownPage } from "./shell/unknown-page.js";
import { useShellKeys } from "./shell/use-shell-keys.js";
import { VersionBanner } from "./shell/version-banner.js";
import { Sidebar } from "./shell/sidebar.js";
import { TopBar } from "./shell/top-bar.js";
import { Unauthorised } from "./shell/unauthorised.js";

const Palette = lazy(() => import("./shell/palette.js"));
const KeysDialog = lazy(() => import("./shell/keys-dialog.js"));

const views = new Map(pages.map(({ name }) => [name, pageView(name)]));

/** The whole console. @param texts Those of the language that it starts in. */
export function App({ texts: first }: { readonly texts: Texts }) {
  const { language } = usePreferences();
  const [texts, setTexts] = useState(first);
  useEffect(() => {
    let isWanted = true;
    void loadTexts(language).then((loaded) => isWanted && setTexts(loaded));
    return () => {
      isWanted = false;
    };
  }, [language]);
  const translate = useMemo(() => createTranslate(texts), [texts]);
  const refused = useFeed((state) => state.connection === "unauthorised");
  return (
    <TextContext value={translate}>
      <div className="flex h-full flex-col">
        {!refused && <VersionBanner />}
        <Boundary>{refused ? <Unauthorised /> : <Shell />}</Boundary>
      </div>
    </TextContext>
  );
}

function Shell() {
  const t = useText();
  const { page, id } = useRoute();
  const titleOf = usePageTitle();
  const View = page === undefined ? undefined : views.get(page);
  const heading = useHeadingFocus(page);
  const approvals = useFeed((state) => state.approvals);
  const questions = useFeed((state) => state.questions);
  const connection = useFeed((state) => state.connection);
  useReloadAfterBreak(connection === "open");
  const [dialog, setDialog] = useState<"palette" | "keys">();
  useShellKeys({
    onPalette: () => setDialog("palette"),
    onHelp: () => setDialog("keys"),
    ownHelp: page === "approvals",
  });
  const waiting = approvals.length + questions.length;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <a
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          heading.current?.focus();
        }}
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-panel focus:p-2"
      >
        {t("skip")}
      </a>
      <Boundary>
        <TopBar page={page} waiting={waiting} onPalette={() => setDialog("palette")} />
      </Boundary>
      <ConnectionBanner />
      <Boundary key={dialog}>
        <Suspense>
          {dialog === "palette" && <Palette onClose={() => setDialog(undefined)} />}
          {dialog === "keys" && <KeysDialog onClose={() => setDialog(undefined)} />}
        </Suspense>
      </Boundary>
      <Attention page={page} approvals={approvals} questions={questions} />
      <div className="flex min-h-0 flex-1">
        <Sidebar page={page} waiting={waiting} />
        <main
          id="main"
          data-stale={connection === "lost" || connection === "away"}
          className="flex min-w-0 flex-1 flex-col overflow-auto p-3 data-[stale=true]:saturate-50 md:p-4"
        >
          <h1 ref={heading} tabIndex={-1} className="mb-3 text-base font-semibold outline-none">
            {page === undefined ? t("unknown.title") : titleOf(page)}
          </h1>
          <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
            <Boundary key={page}>{View === undefined ? <UnknownPage /> : <View id={id} />}</Boundary>
          </Suspense>
        </main>
      </div>
    </div>
  );
}

/** Moves the focus to the heading of a new page, for keyboard and screen reader users. */
function useHeadingFocus(page: PageName | undefined) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current !== page) heading.current?.focus();
    shown.current = page;
  }, [page]);
  return heading;
}

/** What was read before the connection broke may be old. */
function useReloadAfterBreak(open: boolean): void {
  const client = useQueryClient();
  const before = useRef(true);
  useEffect(() => {
    if (open && !before.current) void client.invalidateQueries();
    before.current = open;
  }, [open, client]);
}
