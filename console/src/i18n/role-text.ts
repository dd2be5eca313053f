import { definePageText } from "./page-text.js";

/** What users may do. */
export const roleText = definePageText(
  { viewer: "viewer", operator: "operator", approver: "approver", admin: "admin" },
  { viewer: "只读成员", operator: "操作员", approver: "审批人", admin: "管理员" },
);

export const roleNames = ["viewer", "operator", "approver", "admin"] as const;
