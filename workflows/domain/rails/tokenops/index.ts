import { byRows } from '../input/by-rows.ts'
import type { Rail } from '../rail.ts'
import { rowTiers, tiersOf } from '../work/tiers.ts'
import { account, gapRules } from './account.ts'
import { tokenopsAudit } from './audit.ts'
import { billForms, litellmForms, usageForms } from './forms/index.ts'
import { usageHeadings } from './headings.ts'
import { tokenopsInput } from './sample.ts'
import {
  FocusRow,
  LitellmRow,
  TokenopsHead,
  type TokenopsInput,
  TokenopsResult,
  UsageRow,
} from './schema.ts'
import { usageSoFar } from './so-far.ts'
import { ofFocus, ofLitellm, ofUsage } from './usage.ts'

export { tokenopsInput } from './sample.ts'
export { LitellmRow, TokenopsHead, type TokenopsInput, UsageRow } from './schema.ts'

/**
 * Prices model usage: exact cost by model, agent, day, task, customer and tag from dated prices in any currency; use and forecast
 * of a budget; duplicates, models without a price, unusual costs, and what a cheaper model or a cache would have saved.
 */
export const tokenops: Rail<TokenopsInput, TokenopsResult> = {
  key: 'tokenops',
  about: {
    summary:
      'Prices model usage exactly, forecasts the budget and names what is unpriced or unusual.',
    capabilities: [
      'cost of LLM tokens by model, agent, task, customer and day',
      'cached, reasoning, batch and image tokens with dated prices',
      'track and forecast an AI budget',
      'find models that have no price and duplicate requests',
      'detect anomalies in token usage and spend',
      'savings from a cheaper model or caching',
    ],
    asks: [
      'why did our AI bill go up',
      'how much do we spend on OpenAI, Anthropic, GPT, Claude or Gemini',
      'LLM and API costs by team, customer, agent and model',
      'which agent or user burns the most tokens',
      'forecast what language models will cost this month',
      'keep an eye on what AI costs',
      'alert on unusual model usage and sudden costs',
      'would a cheaper model have saved money',
      'what do our requests to model APIs cost',
    ],
  },
  takes: {
    paidAgentUse: false,
    quickstart: true,
    pricingModelV2: false,
    controlledLoop: 'current',
    offer: true,
    requestedTool: true,
  },
  prices: { entry: 49, standard: 99, pro: 249 },
  tiers: tiersOf({
    entry: {
      depth:
        'the cost by model, agent and day, the comparison with what was billed, the budget and what is unpriced',
      leaves_out: [
        'cost_by_task',
        'cost_by_customer',
        'cost_by_tag',
        'unit_costs',
        'savings',
        'anomalies',
      ],
      leaves_out_codes: [
        'too_few_days',
        'too_few_rows',
        'too_many_keys',
        'unread_tags',
        'unusual_days',
        'unusual_rows',
      ],
    },
    whole: 'all sums, unit costs, anomalies and savings',
    rows: rowTiers,
  }),
  result: TokenopsResult,
  sandboxInput: tokenopsInput,
  gapRules,
  audit: tokenopsAudit,
  parameters: ['budget_minor', 'period', 'aliases', 'alternatives', 'cacheable_percent'],
  ...byRows({
    head: TokenopsHead,
    lists: { usage: UsageRow, litellm: LitellmRow, focus: FocusRow },
    optional: ['litellm', 'focus'],
    forms: { usage: usageForms, litellm: litellmForms, focus: billForms },
    headings: { usage: usageHeadings },
    open(head) {
      const usage = usageSoFar(head)
      const read = { ...head, currency: usage.prices.currency }
      return {
        take: {
          usage: (row, index) => usage.take('usage', ofUsage(row, read), index),
          litellm: (row, index) => usage.take('litellm', ofLitellm(row), index),
          focus: (row, index) => usage.take('focus', ofFocus(row), index),
        },
        close: () => account(head, usage),
      }
    },
  }),
}
