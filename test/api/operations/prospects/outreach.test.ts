import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

const pack = async (query: InputOf<'outreach-pack'>) =>
  (await apis.console.call('outreach-pack', query)).body
const move = (prospect_id: string, to: 'replied' | 'declined') =>
  apis.console.call('update-prospect-state', {
    mode: 'update_prospect_state',
    prospect_id,
    to,
    ...(to === 'replied' && {
      received: {
        message_sha256: sha256Hex(key()),
        channel: 'email' as const,
        received_at: new Date().toISOString(),
      },
    }),
    idempotency_key: key(),
  })

verifies(
  'prospect.outreach',
  'a pack follows rail, prices and the state of the prospect',
  async () => {
    const all = await pack({ rail: 'packetops' })
    expect(all.pack.price_card).toEqual([
      { tier: 'entry', total_usd: 49 },
      { tier: 'standard', total_usd: 107 },
      { tier: 'pro', total_usd: 269 },
    ])
    const other = await pack({ rail: 'diligenceops' })
    expect(other.pack.price_card[1]).toEqual({ tier: 'standard', total_usd: 215 })
    expect(other.pack.messages.map(({ text }) => text)).not.toEqual(
      all.pack.messages.map(({ text }) => text),
    )
    for (const { text, message_sha256 } of all.pack.messages)
      expect(sha256Hex(text)).toBe(message_sha256)
    expect((await pack({ rail: 'contractops' })).pack.price_card).toEqual([])

    const made = await apis.console.call('create-prospect', {
      mode: 'create_prospect',
      label: 'Northwind',
      channel: 'email',
      rail: 'diligenceops',
      idempotency_key: key(),
    })
    const { prospect_id } = made.body.prospect
    expect((await pack({})).prospects).toMatchObject([{ prospect_id, state: 'identified' }])
    const first = (await pack({ prospect_id })).pack
    expect(first).toMatchObject({ rail: 'diligenceops', messages: [{ purpose: 'introduction' }] })
    const [introduction] = first.messages
    expect(introduction?.text).toContain('Hello Northwind')
    await apis.console.call('record-message-sent', {
      mode: 'record_message_sent',
      prospect_id,
      message_sha256: String(introduction?.message_sha256),
      sent_at: new Date().toISOString(),
      idempotency_key: key(),
    })
    expect((await pack({ prospect_id })).pack.messages).toMatchObject([{ purpose: 'follow_up' }])
    await move(prospect_id, 'replied')
    const [asks] = (await pack({ prospect_id })).pack.messages
    expect(asks).toMatchObject({ purpose: 'qualification' })
    expect(asks?.text).toContain('questions')
    await move(prospect_id, 'declined')
    expect((await pack({ prospect_id })).pack.messages).toEqual([])
    expect((await pack({})).prospects).toEqual([])
    expect(await codeOf(pack({ prospect_id: `ps_${'0'.repeat(64)}` }))).toBe('not_found')
  },
)
