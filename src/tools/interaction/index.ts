import type { ToolMakers } from "../../contract/tool-makers.js";
import { askUser } from "./ask-user.js";
import { provideFeedback } from "./provide-feedback.js";
import { requestConfirmation } from "./request-confirmation.js";
import { requestInput } from "./request-input.js";
import { reviewWithFeedbackContent } from "./review-with-feedback-content.js";

/** The tools that interact with the user. */
export const interactionTools: ToolMakers = {
  ask_user: () => askUser,
  request_confirmation: () => requestConfirmation,
  request_input: () => requestInput,
  provide_feedback: () => provideFeedback,
  review_with_feedback_content: () => reviewWithFeedbackContent,
};
