import type { ToolMakers } from "../../contract/tool-makers.js";
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
export const artifactTools: ToolMakers = {
  save_idea_doc: () => saveIdeaDoc,
  save_prd_doc: () => savePrdDoc,
  save_design_doc: () => saveDesignDoc,
  save_plan_doc: () => savePlanDoc,
  save_check_report: () => saveCheckReport,
  save_delivery_report: () => saveDeliveryReport,
  list_artifacts: () => listArtifacts,
  read_artifact: () => readArtifact,
  render_prd: () => renderPrd,
};
