import { defineSaveDocument } from "./save-document.js";

/** Saves the report of the delivery stage. */
export const saveDeliveryReport = defineSaveDocument({
  name: "save_delivery_report",
  document: "delivery",
  title: "Save delivery report",
  description:
    "Save the delivery report of this iteration: what was delivered and how to use it. Earlier versions are kept.",
});
