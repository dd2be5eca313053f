import type { Tool } from "../../contract/tool.js";
import { askUser } from "./ask-user.js";
import { provideFeedback } from "./provide-feedback.js";
import { requestConfirmation } from "./request-confirmation.js";
import { requestInput } from "./request-input.js";
import { reviewWithFeedbackContent } from "./review-with-feedback-content.js";

/** The tools that interact with the user. */
export const interactionTools: readonly Tool[] = [
  askUser,
  requestConfirmation,
  requestInput,
  provideFeedback,
  reviewWithFeedbackContent,
];
