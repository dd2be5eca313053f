const maxDepth = 300;
const maxHeredocs = 300;

/**
 * Whether text is so deep, or opens so much that it never closes, that parsing it would take long:
 * the parser looks ahead from each opening bracket. Quotes do not count here, since code in them is balanced.
 */
export function isTooNested(text: string): boolean {
  let depth = 0;
  let heredocs = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // ( [ { open, ) ] } close.
    if (code === 40 || code === 91 || code === 123) {
      if (++depth > maxDepth) return true;
    } else if (code === 41 || code === 93 || code === 125) {
      if (depth > 0) depth--;
    } else if (code === 60 && text.charCodeAt(at + 1) === 60) {
      if (++heredocs > maxHeredocs) return true;
      at++;
    }
  }
  return false;
}
