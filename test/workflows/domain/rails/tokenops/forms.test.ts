import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { CellTable, Form, FormRows } from '#domain/rails/form.ts'
import { billForms, litellmForms, usageForms } from '#domain/rails/tokenops/forms/index.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import {
  FocusRow,
  LitellmRow,
  type TokenopsInput,
  UsageRow,
} from '#domain/rails/tokenops/schema.ts'
import { cellTable } from '../../../../../activities/runs/csv.ts'
import { verifies } from '../../../../verifies.ts'

const file = (name: string): unknown =>
  JSON.parse(readFileSync(`test/workflows/domain/rails/tokenops/files/${name}.json`, 'utf8'))
const table = (text: string): CellTable => cellTable(text.trim())
/** What the only form of these that takes the file reads from it. */
function readBy(forms: readonly Form[], whole: unknown): FormRows {
  const isTable = typeof whole === 'object' && whole !== null && 'records' in whole
  const read = forms.flatMap((form) => {
    if ((form.kind === 'table') !== isTable) return []
    return (form.read as (whole: unknown) => FormRows | undefined)(whole) ?? []
  })
  expect(read).toHaveLength(1)
  return read[0] as FormRows
}
const valuesOf = ({ rows }: FormRows) => rows.flatMap((row) => ('value' in row ? [row.value] : []))
const usageIn = (whole: unknown) =>
  valuesOf(readBy(usageForms, whole)).map((row) => UsageRow.parse(row))
const billIn = (whole: unknown) =>
  valuesOf(readBy(billForms, whole)).map((row) => FocusRow.parse(row))
const haiku = {
  model: 'claude-haiku-4-5',
  currency: 'USD',
  input_cost_per_token: 1e-6,
  output_cost_per_token: 5e-6,
  cache_read_input_token_cost: 1e-7,
  cache_creation_input_token_cost: 1.25e-6,
  cache_creation_input_token_cost_above_1hr: 2e-6,
  search_context_cost_per_query: { search_context_size_medium: 0.01 },
}
const workOn = (more: Partial<TokenopsInput>) =>
  tokenops.work({ price_table: [haiku], usage: [], ...more })
const codes = (notified: readonly { code: string }[]) => notified.map(({ code }) => code)

verifies('tokenops.forms', 'usage of OpenAI is read from its API and its dashboard', () => {
  const page = file('openai-usage') as { data: { results: Record<string, unknown>[] }[] }
  // The example is not grouped by model: no price can be named for it.
  expect(readBy(usageForms, page).rows).toEqual([
    { line: 1, malformed: 'names no model: group the export by model' },
  ])
  const [result] = page.data[0]?.results ?? []
  Object.assign(result ?? {}, { model: 'gpt-4o', batch: true, input_cached_tokens: 1_000 })
  expect(usageIn(page)).toEqual([
    {
      at: '2025-01-11T17:31:00.000Z',
      model: 'gpt-4o',
      cached_tokens: 'included',
      input_tokens: 141_201,
      output_tokens: 9_756,
      cached_input_tokens: 1_000,
      audio_input_tokens: 0,
      audio_output_tokens: 0,
      requests: 470,
      batch: 'true',
    },
  ])
  const dashboard = readBy(
    usageForms,
    table(`start_time,end_time,start_time_iso,end_time_iso,model,input_tokens,output_tokens,input_audio_tokens
1773446400,1773532800,2026-03-14T00:00:00+00:00,2026-03-15T00:00:00+00:00,gpt-4o-2024-08-06,3608,564,100
1773532800,1773619200,2026-03-15T00:00:00+00:00,2026-03-16T00:00:00+00:00,,,,`),
  )
  expect(valuesOf(dashboard)).toMatchObject([
    {
      at: '2026-03-14T00:00:00+00:00',
      input_tokens: 3_708,
      output_tokens: 564,
      requests: 0,
    },
  ])
  expect(dashboard.leftOut).toEqual([{ line: 3, reason: 'a period without usage' }])
})

verifies('tokenops.forms', 'usage of Anthropic keeps lives of caches and searches apart', () => {
  const read = readBy(usageForms, file('anthropic-usage'))
  expect(codes(read.findings)).toEqual(['more_pages'])
  const [row] = usageIn(file('anthropic-usage'))
  expect(row).toEqual({
    at: '2025-08-01T00:00:00Z',
    model: 'claude-sonnet-4-20250514',
    cached_tokens: 'separate',
    input_tokens: 1_500,
    cached_input_tokens: 200,
    cache_write_tokens: 500,
    cache_write_1h_tokens: 1_000,
    output_tokens: 500,
    searches: 10,
    requests: 0,
    prompt_length: 200_000,
    service: 'standard',
    agent: 'apikey_01Rj2N8SVvo6BePZj99NhmiT',
    tags: { workspace: 'wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ' },
  })
  const usage = usageIn(
    table(`usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed
2026-08-05,claude-haiku-4-5,Closer App,Default,standard,≤ 200k,1000000,1000000,3000000,1000000,0,700,global,
2026-08-06,claude-haiku-4-5,Closer App,Default,batch,> 200k,5,0,0,0,1,0,us,`),
  )
  expect(usage[1]).toMatchObject({ prompt_length: 200_001, service: 'batch', region: 'us' })
  // 1 + 1.25 + 6 + 0.1 usd of tokens, and 7 usd of searches.
  expect(workOn({ usage: usage.slice(0, 1) }).result.total_cost_minor).toBe('1535')
})

verifies('tokenops.forms', 'OpenRouter and Langfuse state what each row cost', () => {
  expect(usageIn(file('openrouter-activity'))).toMatchObject([
    {
      at: '2025-08-24',
      model: 'openai/gpt-4.1',
      requests: 5,
      billed: '0.027',
      reasoning_tokens: 25,
    },
  ])
  const [row] = usageIn(
    table(`generation_id,created_at,cost_total,tokens_prompt,tokens_completion,tokens_cached,model_permaslug,variant,app_name
gen-1,2026-06-28 03:46:57.713,0.0123,10389,137,9000,anthropic/claude-haiku-4.5,standard,desk`),
  )
  // 1,389 × 1 + 9,000 × 0.1 + 137 × 5 usd a million, next to 0.0123 usd.
  const { result, findings } = workOn({ usage: row ? [row] : [] })
  expect(result.billed).toMatchObject([{ billed_minor: '1.23', cost_minor: '0.2974' }])
  expect(codes(findings)).not.toContain('billed_differs')
  expect(
    usageIn(
      table(`Date,Slug,Usage,BYOK Usage,Requests,Prompt Tokens,Completion Tokens,Reasoning Tokens
2026-05-12 00:00:00,anthropic/claude-opus-4.7,430.07,0,4115,70965665,3009973,0`),
    ),
  ).toMatchObject([{ input_tokens: 70_965_665, requests: 4_115, billed: '430.07' }])
  const observation = (usageDetails: object) => ({
    id: 'o',
    traceId: 't',
    type: 'GENERATION',
    startTime: '2026-05-12T08:00:00.000Z',
    model: 'claude-haiku-4-5',
    usageDetails,
    costDetails: { total: 0.5 },
  })
  const details = { input: 100, input_cached_tokens: 900, output: 20, output_reasoning_tokens: 30 }
  expect(usageIn({ data: [observation({ ...details, total: 1_050 })] })).toMatchObject([
    { input_tokens: 1_000, cached_input_tokens: 900, output_tokens: 50, reasoning_tokens: 30 },
  ])
  for (const wrong of [
    { ...details, total: 9 },
    { input: 1, moon_tokens: 2 },
  ])
    expect(readBy(usageForms, [observation(wrong)]).rows[0]).toHaveProperty('malformed')
  expect(readBy(usageForms, [observation({})]).leftOut).toHaveLength(1)
})

verifies(['tokenops.forms', 'tokenops.bills'], 'costs that an export states are a bill', () => {
  expect(billIn(file('openai-costs'))).toEqual([
    { ChargePeriodStart: '2024-11-01T00:00:00.000Z', BilledCost: 0.06, BillingCurrency: 'USD' },
  ])
  // Amounts of the cost report are cents.
  expect(billIn(file('anthropic-costs'))).toMatchObject([
    { BilledCost: '1.2378912', x_Model: 'claude-sonnet-4-20250514' },
  ])
  const focus = billIn(
    table(`usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type,inference_geo,speed
2026-08-15,Claude Haiku 4.5,Default,desk,message,≤ 200k,input_no_cache,0.19,0.19,token,global,
2026-08-15,Claude Haiku 4.5,Default,desk,message,≤ 200k,output,0.03,0.03,token,global,`),
  )
  const usage: UsageRow[] = [
    { at: '2026-08-15', model: 'claude-haiku-4-5', input_tokens: 190_000, output_tokens: 6_000 },
  ]
  const met = workOn({ usage, focus })
  expect(met.result.billed).toMatchObject([
    { model: 'claude-haiku-4-5', billed_minor: '22', cost_minor: '22', difference_minor: '0' },
  ])
  const costs = table(`start_time,end_time,start_time_iso,amount_value,amount_currency,line_item
1773446400,1773532800,2026-03-14T00:00:00+00:00,0.5,usd,Web search
1773532800,1773619200,2026-03-15T00:00:00+00:00,,,`)
  const { rows, leftOut } = readBy(billForms, costs)
  expect([rows.length, leftOut.length]).toEqual([1, 1])
  const differs = workOn({ usage, focus: billIn(costs) })
  expect(differs.result.billed).toMatchObject([
    { model: null, billed_minor: '50', cost_minor: '22', difference_minor: '28' },
  ])
  expect(codes(differs.findings)).toContain('billed_differs')
})

verifies('tokenops.forms', 'spend logs of LiteLLM and rows of FOCUS are read as they are', () => {
  const log = {
    request_id: 'r',
    call_type: 'acompletion',
    startTime: '2026-01-10T08:00:00.123Z',
    model: 'claude-haiku-4-5',
    prompt_tokens: 4_000_000,
    completion_tokens: 0,
    spend: 16.1,
    metadata: {
      usage_object: {
        cache_creation_input_tokens: 3_000_000,
        cache_read_input_tokens: 1_000_000,
        cache_creation: { ephemeral_1h_input_tokens: 3_000_000, ephemeral_5m_input_tokens: 0 },
        server_tool_use: { web_search_requests: 1_000 },
      },
    },
  }
  const litellm = valuesOf(readBy(litellmForms, [log])).map((row) => LitellmRow.parse(row))
  // 3 M × 2 + 1 M × 0.1 usd, and 1,000 searches for 10 usd.
  expect(workOn({ litellm }).result.billed).toMatchObject([{ difference_minor: '0' }])
  // As LiteLLM's exporter writes FOCUS: requests of a model, without their tokens.
  const focus = [
    {
      BilledCost: '12.500000',
      BillingCurrency: 'USD',
      ChargeCategory: 'Usage',
      ChargePeriodStart: '2026-01-10T00:00:00Z',
      ConsumedQuantity: '3.000000',
      ConsumedUnit: 'Requests',
      ResourceName: 'claude-haiku-4-5',
      ServiceCategory: 'AI and Machine Learning',
      Tags: '{"team_id": "t"}',
    },
  ].map((row) => FocusRow.parse(row))
  expect(workOn({ focus }).result.billed).toMatchObject([
    { model: 'claude-haiku-4-5', billed_minor: '1250' },
  ])
})

verifies('tokenops.forms', 'a cloud bill of FOCUS 1.0 is read and is no usage of models', () => {
  const text = readFileSync('test/workflows/domain/rails/tokenops/files/focus-1.0.csv', 'utf8')
  const [header = [], ...records] = text
    .trim()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|([^,]+)/g)].map(([, quoted, bare]) => quoted ?? bare),
    )
  const focus = records.map((cells) => {
    const said = header.flatMap((name, at) => (cells[at] === 'NULL' ? [] : [[name, cells[at]]]))
    return FocusRow.parse(Object.fromEntries(said))
  })
  expect(focus).toHaveLength(3)
  const { result, gaps } = workOn({ focus })
  expect([result.total_cost_minor, result.billed]).toEqual(['0', []])
  expect(gaps.find(({ code }) => code === 'not_tokens')?.detail).toContain(': 3')
})

verifies('tokenops.forms', 'a file of another kind is read by no form', () => {
  const forms = [...usageForms, ...litellmForms, ...billForms]
  const others = [null, 7, 'text', [], {}, { data: [] }, { data: [{ results: 1 }] }, [{ a: 1 }]]
  for (const whole of [...others, { data: [null] }, { data: [{ results: [null] }] }])
    for (const form of forms)
      if (form.kind === 'json') expect(form.read(whole), form.name).toBeUndefined()
  for (const form of forms)
    if (form.kind === 'table')
      expect(form.read(table('at,model,input_tokens,output_tokens\n1,m,1,1')), form.name).toBe(
        undefined,
      )
})
