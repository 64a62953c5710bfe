import { lazyPart } from '../context/lazy-part.ts'
import type ApprovalTray from './AsApprovalTray.vue'
import type AuditTrail from './AsAuditTrail.vue'
import type PolicyList from './AsPolicyList.vue'

/*
 * Panels stand beside a conversation, if at all: their code is loaded when one is shown.
 */

/** All that waits in a conversation, in one strip. */
export const AsApprovalTray: typeof ApprovalTray = /* @__PURE__ */ lazyPart(
  () => import('./AsApprovalTray.vue'),
)

/** The standing permissions: what they cover, where they come from, and how to take them back. */
export const AsPolicyList: typeof PolicyList = /* @__PURE__ */ lazyPart(
  () => import('./AsPolicyList.vue'),
)

/** The record of all decisions, to be searched and exported. */
export const AsAuditTrail: typeof AuditTrail = /* @__PURE__ */ lazyPart(
  () => import('./AsAuditTrail.vue'),
)
