import { requestedTools } from '../rails/rail.ts'
import { SERVICE_OS } from '../work-orders/work-order.ts'

/** The policy rules that hold for every agent. */
export const policyRules = [
  'Review is required before work is executed.',
  'Outside agents do not receive OS access.',
  'Public endpoints accept intake; they do not execute.',
  'Callers must not submit: private keys, seed phrases, passwords, credentials, API credentials, regulated records, confidential production client data.',
  'Conversion path: public request, then external_agent_request or workflow_intake, then OS review, then Work Order, then approved autopilot run, then delivery package.',
  `Active requested tool ids: ${[...requestedTools, SERVICE_OS].join(', ')}.`,
  'Commerce proof moves no money (money_movement is false).',
  'Agents draft, inspect, validate and package work products for review; operators record review decisions.',
  'Payment posture is reference-based until payment-provider webhooks are enabled. Payment paths: hosted_checkout_link, invoice_or_purchase_order, agent_credit, manual_operator_verified_reference. When a hosted product link is not configured for a rail, product cards fall back to rail checkout.',
  'Settlement and usage split: a settlement receipt funds credits; a usage receipt records consumed credits. Provider settlement funds credits; webhook verification, release controls, rate limits, abuse controls, legal terms and pause controls stay visible in the operating loop.',
  'Agents should call quote_run or the agent-pricing endpoint before creating a payment reference or a rail run.',
] as const
