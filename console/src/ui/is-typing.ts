/** Whether a key goes into a text, or belongs to the browser or a dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  return (
    event.target instanceof HTMLElement &&
    event.target.closest("input, textarea, select, [contenteditable], [role=dialog]") !== null
  );
}
