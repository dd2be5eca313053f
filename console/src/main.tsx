import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { keepPageSecret } from "./api/page-secret.js";
import { ApiFault } from "./api/request.js";
import { App } from "./app.js";
import { connectFeed } from "./feed/connect-feed.js";
import { createFeedStore } from "./feed/feed-store.js";
import { createNextFrame } from "./feed/next-frame.js";
import { FeedContext } from "./feed/use-feed.js";
import { loadAhead } from "./load-page.js";
import { loadTexts } from "./i18n/load-texts.js";
import { createPreferences, PreferenceContext } from "./preferences.js";
import "./styles.css";

keepPageSecret(window);
const preferences = createPreferences(window);
const feed = createFeedStore(createNextFrame(window));
const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      retry: (count, fault) => fault instanceof ApiFault && fault.status >= 500 && count < 2,
    },
  },
});

connectFeed(feed);
const texts = await loadTexts(preferences.read().language);
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <PreferenceContext value={preferences}>
      <FeedContext value={feed}>
        <QueryClientProvider client={client}>
          <App texts={texts} />
        </QueryClientProvider>
      </FeedContext>
    </PreferenceContext>,
  );
}

const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 2000));
idle(() => void loadAhead());
