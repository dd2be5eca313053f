import { useQueryClient } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense, useEffect, useMemo, useRef } from "react";
import { useFeed } from "./feed/use-feed.js";
import { en } from "./i18n/en.js";
import { createTranslate, TextContext, useText } from "./i18n/use-text.js";
import { zh } from "./i18n/zh.js";
import { LivePage } from "./pages/live/live-page.js";
import { usePreferences } from "./preferences.js";
import { type Page, useRoute } from "./route.js";
import { Attention } from "./shell/attention.js";
import { ConnectionBanner } from "./shell/connection-banner.js";
import { PageBoundary } from "./shell/page-boundary.js";
import { Sidebar } from "./shell/sidebar.js";
import { TopBar } from "./shell/top-bar.js";
import { Unauthorised } from "./shell/unauthorised.js";

const views: Record<Page, ComponentType<{ readonly id?: string | undefined }>> = {
  live: LivePage,
  approvals: lazy(() => import("./pages/approvals/approvals-page.js")),
  jobs: lazy(() => import("./pages/jobs/jobs-page.js")),
  network: lazy(() => import("./pages/network/network-page.js")),
  tools: lazy(() => import("./pages/tools/tools-page.js")),
  metrics: lazy(() => import("./pages/metrics/metrics-page.js")),
  log: lazy(() => import("./pages/log/log-page.js")),
  changes: lazy(() => import("./pages/changes/changes-page.js")),
  plan: lazy(() => import("./pages/plan/plan-page.js")),
  mcp: lazy(() => import("./pages/mcp/mcp-page.js")),
  policy: lazy(() => import("./pages/policy/policy-page.js")),
};

/** The whole console. */
export function App() {
  const { language } = usePreferences();
  const translate = useMemo(() => createTranslate(language === "zh" ? zh : en), [language]);
  const refused = useFeed((state) => state.connection === "unauthorised");
  return <TextContext value={translate}>{refused ? <Unauthorised /> : <Shell />}</TextContext>;
}

function Shell() {
  const t = useText();
  const { page, id } = useRoute();
  const View = views[page];
  const heading = useHeadingFocus(page);
  const approvals = useFeed((state) => state.approvals);
  const questions = useFeed((state) => state.questions);
  const connection = useFeed((state) => state.connection);
  useReloadAfterBreak(connection === "open");
  const waiting = approvals.length + questions.length;
  return (
    <div className="flex h-full flex-col">
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
      <TopBar page={page} waiting={waiting} />
      <ConnectionBanner />
      <Attention page={page} approvals={approvals} questions={questions} />
      <div className="flex min-h-0 flex-1">
        <Sidebar page={page} waiting={waiting} />
        <main
          id="main"
          data-stale={connection === "lost"}
          className="flex min-w-0 flex-1 flex-col overflow-auto p-3 data-[stale=true]:saturate-50 md:p-4"
        >
          <h1 ref={heading} tabIndex={-1} className="mb-3 text-base font-semibold outline-none">
            {t(`page.${page}`)}
          </h1>
          <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
            <PageBoundary key={page}>
              <View id={id} />
            </PageBoundary>
          </Suspense>
        </main>
      </div>
    </div>
  );
}

/** Moves the focus to the heading of a new page, for keyboard and screen reader users. */
function useHeadingFocus(page: Page) {
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
