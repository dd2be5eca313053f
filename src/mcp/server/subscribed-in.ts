/** The resources that a `subscriptions/listen` names; none in any other message. */
export function subscribedIn(message: unknown): readonly string[] {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  if (method !== "subscriptions/listen") return [];
  const { notifications } = Object(params) as { notifications?: unknown };
  const { resourceSubscriptions } = Object(notifications) as { resourceSubscriptions?: unknown };
  return Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === "string")
    : [];
}
