import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { readList } from '../../support/read-list.ts'
import { verifies } from '../../verifies.ts'

/** Reads a file for a list of tokenops as a run does; nothing of it is wrong. */
async function read(list: string, text: string) {
  const { rows, wrong, reading } = await readList('tokenops', list, text)
  expect(wrong).toEqual([])
  return { form: reading.form, rows }
}
const file = (name: string) =>
  readFileSync(`test/workflows/domain/rails/tokenops/files/${name}`, 'utf8')

verifies('tokenops.forms', 'files are recognised by what is in them', async () => {
  const forms = [
    ['focus', 'openai-costs.json', 'OpenAI costs (JSON)', 1],
    ['usage', 'anthropic-usage.json', 'Anthropic usage report (JSON)', 1],
    ['focus', 'anthropic-costs.json', 'Anthropic cost report (JSON)', 1],
    ['usage', 'openrouter-activity.json', 'OpenRouter activity by day (JSON)', 1],
    ['focus', 'focus-1.0.csv', 'table', 3],
  ] as const
  for (const [list, name, form, count] of forms) {
    const answer = await read(list, file(name))
    expect([answer.form, answer.rows.length], name).toEqual([form, count])
  }
})

verifies('tokenops.forms', 'a plain table of usage needs no map of columns', async () => {
  const table = `Timestamp;Model Name;Prompt Tokens;Completion Tokens;Cost;Requests
15.01.2024 10:00;gpt-4o;1000;20;0,05;1
16.01.2024 10:00;gpt-4o;12;20;1,25;3`
  expect((await read('usage', table)).rows).toMatchObject([
    { model: 'gpt-4o', input_tokens: 1_000, output_tokens: 20, billed: '0.05', requests: 1 },
    { model: 'gpt-4o', input_tokens: 12, output_tokens: 20, billed: '1.25', requests: 3 },
  ])
})

verifies('tokenops.forms', 'spend logs of LiteLLM are read as lines and as a table', async () => {
  const metadata = { additional_usage_values: { cache_read_input_tokens: 95_000 } }
  const log = {
    request_id: 'r',
    spend: 0.0195,
    prompt_tokens: 100_000,
    completion_tokens: 1_000,
    startTime: '2026-01-10T08:00:00.123Z',
    model: 'claude-haiku-4-5',
  }
  const lines = JSON.stringify({ ...log, metadata, team_id: null, request_tags: null })
  expect((await read('litellm', `${lines}\n`)).rows).toMatchObject([{ ...log, metadata }])
  const text = JSON.stringify(metadata).replaceAll('"', '""')
  const cells = Object.values(log).join(',')
  const table = `${Object.keys(log).join(',')},metadata,team_id\n${cells},"${text}",NULL\n`
  expect((await read('litellm', table)).rows).toMatchObject([
    { prompt_tokens: 100_000, metadata: JSON.stringify(metadata) },
  ])
})
