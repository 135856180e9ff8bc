import type { Form } from '../../form.ts'
import {
  anthropicCosts,
  anthropicCostsTable,
  anthropicUsage,
  anthropicUsageTable,
} from './anthropic.ts'
import { langfuseObservations, langfuseTable } from './langfuse.ts'
import { litellmLogs } from './litellm.ts'
import { openaiCosts, openaiCostsTable, openaiUsage, openaiUsageTable } from './openai.ts'
import { openrouterActivity, openrouterDays, openrouterGenerations } from './openrouter.ts'

const OPENAI = 'OpenAI, API reference § Usage'
const ANTHROPIC = 'Anthropic, Usage and Cost Admin API'
const CONSOLE = 'Anthropic, Claude Console'
const OPENROUTER = 'OpenRouter, Activity'

/** Forms of usage, and of bills, which are charges of the list `focus`. */
export const usageForms: readonly Form[] = [
  {
    name: 'OpenAI usage (JSON)',
    source: OPENAI,
    example: 'the example response of the API reference',
    kind: 'json',
    read: openaiUsage,
  },
  {
    name: 'Anthropic usage report (JSON)',
    source: ANTHROPIC,
    example: null,
    kind: 'json',
    read: anthropicUsage,
  },
  {
    name: 'OpenRouter activity by day (JSON)',
    source: OPENROUTER,
    example: 'the example of the API reference',
    kind: 'json',
    read: openrouterActivity,
  },
  {
    name: 'Langfuse observations (JSON)',
    source: 'Langfuse, public API § Observations',
    example: null,
    kind: 'json',
    read: langfuseObservations,
  },
  {
    name: 'OpenAI usage (CSV)',
    source: 'OpenAI, usage dashboard',
    example: null,
    kind: 'table',
    read: openaiUsageTable,
  },
  {
    name: 'Anthropic console usage (CSV)',
    source: CONSOLE,
    example: null,
    kind: 'table',
    read: anthropicUsageTable,
  },
  {
    name: 'OpenRouter generations (CSV)',
    source: OPENROUTER,
    example: null,
    kind: 'table',
    read: openrouterGenerations,
  },
  {
    name: 'OpenRouter activity by day (CSV)',
    source: OPENROUTER,
    example: null,
    kind: 'table',
    read: openrouterDays,
  },
  {
    name: 'Langfuse observations (CSV)',
    source: 'Langfuse, table export',
    example: null,
    kind: 'table',
    read: langfuseTable,
  },
]

export const litellmForms: readonly Form[] = [
  {
    name: 'LiteLLM spend logs (JSON)',
    source: 'LiteLLM, schema.prisma § LiteLLM_SpendLogs',
    example: null,
    kind: 'json',
    read: litellmLogs,
  },
]

export const billForms: readonly Form[] = [
  {
    name: 'OpenAI costs (JSON)',
    source: OPENAI,
    example: 'the example response of the API reference',
    kind: 'json',
    read: openaiCosts,
  },
  {
    name: 'Anthropic cost report (JSON)',
    source: ANTHROPIC,
    example: null,
    kind: 'json',
    read: anthropicCosts,
  },
  {
    name: 'OpenAI costs (CSV)',
    source: 'OpenAI, usage dashboard',
    example: null,
    kind: 'table',
    read: openaiCostsTable,
  },
  {
    name: 'Anthropic console costs (CSV)',
    source: CONSOLE,
    example: null,
    kind: 'table',
    read: anthropicCostsTable,
  },
]
