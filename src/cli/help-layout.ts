import { Help, type HelpConfiguration } from "commander";
import { wrap } from "./wrap.js";

const minColumns = 24;

/** The help in a terminal of any width: where two columns do not fit, descriptions stand below what they describe. */
export const helpLayout: HelpConfiguration = {
  minWidthToWrap: minColumns,
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80;
    if (width - termWidth - 4 >= minColumns || description === "")
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
    return [`  ${term}`, ...wrap(description, width - 6).map((line) => `      ${line}`)].join("\n");
  },
};
