import type { Tool } from "../../contract/tool.js";
import { listArtifacts } from "./list-artifacts.js";
import { readArtifact } from "./read-artifact.js";
import { renderPrd } from "./render-prd.js";
import { saveCheckReport } from "./save-check-report.js";
import { saveDeliveryReport } from "./save-delivery-report.js";
import { saveDesignDoc } from "./save-design-doc.js";
import { saveIdeaDoc } from "./save-idea-doc.js";
import { savePlanDoc } from "./save-plan-doc.js";
import { savePrdDoc } from "./save-prd-doc.js";

/** The tools for documents of pipeline stages. */
export const artifactTools: readonly Tool[] = [
  saveIdeaDoc,
  savePrdDoc,
  saveDesignDoc,
  savePlanDoc,
  saveCheckReport,
  saveDeliveryReport,
  listArtifacts,
  readArtifact,
  renderPrd,
];
