// Faults of an input are answered before any work: all of them at once, each with its rows. The corrected input then runs.
import { createClient, ProblemError } from '@agent-rails/client'

const client = createClient({ baseUrl: 'http://127.0.0.1:3000' })
const input = {
  price_table: [
    { model: 'atlas-large', input_per_million_minor: 300, output_per_million_minor: 1500 },
  ],
  currency: 'USD',
  budget_minor: 2000,
  period: { from: '2026-03-01', to: '2026-03-31' },
  usage: [
    { at: '2026-03-01T09:00:00Z', model: 'atlas-large', input_tokens: 120000, output_tokens: 8000 },
    { at: '2026-03-02T09:00:00Z', model: 'atlas-large', input_tokens: -5, output_tokens: 8000 },
    { at: 'yesterday', model: 'atlas-large', input_tokens: 90000, output_tokens: 8000 },
  ],
}
const start = () =>
  client.call('agent-sandbox-run', {
    rail: 'tokenops',
    input,
    idempotency_key: crypto.randomUUID(),
  })

try {
  await start()
} catch (error) {
  if (!(error instanceof ProblemError)) throw error
  console.log('refused:', error.code)
  for (const { kind, field, first } of error.problem.faults.groups)
    console.log(' ', kind, field, JSON.stringify(first))
}
input.usage[1].input_tokens = 5
input.usage[2].at = '2026-03-03T09:00:00Z'
const { run } = (await start()).body
console.log('started:', run.run_id, run.state)
