/** What stands in the place of a secret. */
export const redactionMark = "[redacted]";

const maxNameLength = 81;
const minValueLength = 8;
const maxValueLength = 4000;

/**
 * Hide the values of `name=value` and `name: value` where the name looks like that of a secret, quoted or not.
 * By hand, from sign to sign: a regular expression would try a name at every word of a text.
 */
export function hidePairs(text: string, isSecret: (name: string) => boolean): string {
  let shown = "";
  let last = 0;
  for (const sign of signsOf(text)) {
    if (sign < last) continue; // inside of what is hidden already
    const name = nameBefore(text, sign);
    if (name === "") continue;
    const from = skipOne(text, skipOne(text, sign + 1, isSpace), isQuote);
    if (endOfValue(text, from, minValueLength) - from < minValueLength || !isSecret(name)) continue;
    shown += `${text.slice(last, from)}${redactionMark}`;
    last = endOfValue(text, from, maxValueLength);
  }
  return last === 0 ? text : `${shown}${text.slice(last)}`;
}

/** Where `=` and `:` stand, in order; looking for one character at a time is fastest. */
function* signsOf(text: string): Generator<number> {
  let equals = text.indexOf("=");
  let colon = text.indexOf(":");
  while (equals !== -1 || colon !== -1) {
    if (colon === -1 || (equals !== -1 && equals < colon)) {
      yield equals;
      equals = text.indexOf("=", equals + 1);
    } else {
      yield colon;
      colon = text.indexOf(":", colon + 1);
    }
  }
}

/** The name that ends before the sign, at most a blank and a quote away; empty where there is none. */
function nameBefore(text: string, sign: number): string {
  let end = sign;
  if (isSpace(text.charCodeAt(end - 1))) end--;
  if (isQuote(text.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > 0 && end - start < maxNameLength && isNamePart(text.charCodeAt(start - 1))) start--;
  while (start < end && !isLetter(text.charCodeAt(start))) start++;
  return text.slice(start, end);
}

function skipOne(text: string, at: number, what: (code: number) => boolean): number {
  return what(text.charCodeAt(at)) ? at + 1 : at;
}

function endOfValue(text: string, from: number, most: number): number {
  const limit = Math.min(text.length, from + most);
  let at = from;
  while (at < limit && isValuePart(text.charCodeAt(at))) at++;
  return at;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isNamePart(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d;
}

function isSpace(code: number): boolean {
  return (
    code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code > 0x7f && /\s/.test(String.fromCharCode(code)))
  );
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27;
}

/** Anything but blanks, quotes and what separates values. */
function isValuePart(code: number): boolean {
  return !(isSpace(code) || isQuote(code) || code === 0x2c || code === 0x3b || code === 0x26);
}
