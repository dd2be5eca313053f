/** Device names that Windows opens in every directory, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/**
 * What Windows would interpret in a path besides its plain names, or `undefined`:
 * UNC and device paths, alternate streams, reserved device names, trailing dots and spaces.
 */
export function windowsNameFault(text: string): string | undefined {
  if (/^[\\/]{2}/.test(text)) return "is a UNC or device path";
  if (/^[\\/]\?\?[\\/]/.test(text)) return "is a device path";
  if (/^[a-z]:(?![\\/])/i.test(text)) return "is relative to a drive";
  const withoutDrive = text.replace(/^[a-z]:(?=[\\/])/i, "");
  for (const name of withoutDrive.split(/[\\/]/)) {
    const fault = nameFault(name);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function nameFault(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return undefined;
  if (name.includes(":")) return "names an alternate data stream";
  if (/[<>"|?*]/.test(name)) return "contains a character that Windows forbids in names";
  if (/[. ]$/.test(name)) return "contains a name that ends with a dot or a space";
  // `PROGRA~1`: a short name hides the long one that the rules are written for.
  if (/~\d/.test(name) && /^[^.]{1,8}(?:\.[^.]{0,3})?$/.test(name)) return "contains a short (8.3) name";
  return RESERVED.test(name.trim()) ? "names a reserved device" : undefined;
}
