import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { railOf } from '#domain/rails/index.ts'
import type { UploadType } from '#domain/rails/input/documents.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { verifies } from '../../../verifies.ts'

const rails = ['financeops', 'energyops', 'tokenops', 'distributionops'] as const
const files = join(import.meta.dirname, '../../../workflows/domain/rails')

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
  agent = await openAgentUse(apis.hosts[0]!, apis.operator, {
    rails: [...rails],
    requested_scopes: ['runs:read', 'runs:write'],
  })
})
afterAll(async () => {
  await apis?.stop()
})

async function uploaded(bytes: Buffer, type: UploadType): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const response = await fetch(`${apis.hosts[0]?.base}/api/agent-inputs/${sha256}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${agent.credential}`, 'content-type': type },
    body: new Uint8Array(bytes),
  })
  expect([200, 201]).toContain(response.status)
  return sha256
}

type Asked = { rail: RailKey; list: string; bytes: Buffer; type: UploadType; more?: object }
/** A preflight of the sample of a rail, one list of which is the file. */
async function preflight({ rail, list, bytes, type, more }: Asked) {
  const sample = railOf(rail).sandboxInput as Record<string, unknown>
  const input = { ...sample, ...more, [list]: { sha256: await uploaded(bytes, type) } }
  const asked = { rail, tier: 'pro', input, on_gaps: 'report', objective: 'read it' } as const
  return agent.client.call('preflight', { ...asked, idempotency_key: freshKey() })
}

verifies(
  'reading.shown',
  'files as they are exported show their reading before payment',
  async () => {
    const cases: [RailKey, string, string, UploadType, string, number][] = [
      ['financeops', 'payments', 'camt053.xml', 'application/xml', 'CAMT.053', 1],
      ['financeops', 'payments', 'rabobank-iban.sta', 'text/plain', 'MT940', 1],
      ['financeops', 'payments', 'bank_medium.ofx', 'text/plain', 'OFX', 1],
      ['energyops', 'readings', 'openespi.xml', 'text/xml', 'ESPI', 1],
      ['energyops', 'readings', 'nem12-quality.csv', 'text/csv', 'NEM12', 1],
      ['tokenops', 'usage', 'anthropic-usage.json', 'application/json', 'Anthropic', 1],
      ['distributionops', 'recipients', 'credits.ach', 'text/plain', 'NACHA', 1],
    ]
    for (const [rail, list, file, type, form, least] of cases) {
      const bytes = await readFile(join(files, rail, 'files', file))
      const { status, body } = await preflight({ rail, list, bytes, type })
      const [read, ...others] = body.readings
      expect([status, body.blocking, others, read?.list], file).toEqual([201, [], [], list])
      expect(read?.reading.form, file).toContain(form)
      expect(read?.reading.rows, file).toBeGreaterThanOrEqual(least)
    }
  },
)

verifies(
  'reading.shown',
  'a question is asked before payment, and its answer is enough',
  async () => {
    const bytes = Buffer.from(
      'Beleg;Buchungstag;Betrag;Referenz\nx;03/04/2026;1500;INV-1\ny;05/06/2026;20;INV-2\n',
    )
    const asked = { rail: 'financeops', list: 'payments', bytes, type: 'text/csv' } as const
    const named = {
      id: 'Beleg',
      paid_at: 'Buchungstag',
      amount_minor: 'Betrag',
      reference: 'Referenz',
    }
    const more = { columns: { payments: named }, constants: { payments: { currency: 'EUR' } } }
    expect(await problemOf(preflight({ ...asked, more }))).toMatchObject({
      code: 'input_rejected',
      faults: {
        groups: expect.arrayContaining([
          expect.objectContaining({ kind: 'ambiguous', field: '/input/payments/*/amount_minor' }),
          expect.objectContaining({ kind: 'ambiguous', field: '/input/payments/*/paid_at' }),
        ]),
      },
      readings: [{ list: 'payments', reading: { form: 'table', delimiter: ';' } }],
    })
    const answers = { units: { payments: 'major' }, dates: { payments: 'day_first' } }
    const { body } = await preflight({ ...asked, more: { ...more, ...answers } })
    expect(body.readings).toMatchObject([
      { reading: { units: 'major', dates: 'day_first', constants: { currency: 'EUR' }, rows: 2 } },
    ])
  },
)
