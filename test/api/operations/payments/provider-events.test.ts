import { createHmac } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { scratchDirectory } from '../../../support/postgres.ts'
import { providerIn, signedByTills } from '../../../support/provider.ts'
import { checkoutSession, stripeEvent } from '../../../support/stripe-events.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let directory: string

beforeAll(async () => {
  directory = await scratchDirectory()
  const stripe = { provider: 'stripe', scheme: 'stripe', key: 'whsec_test_of_stripe' } as const
  const providers = await providerIn(directory, stripe)
  apis = await startComposed({
    env: { ...providers, TRUST_PROXY: '1', LIMIT_ADDRESS_PER_MINUTE: '60' },
  })
})
afterAll(async () => {
  await apis?.stop()
  await rm(directory, { recursive: true, force: true })
})

let addresses = 0
const newAddress = () => `192.0.2.${++addresses}`

async function send(body: string, headers: Record<string, string>, address = newAddress()) {
  const answer = await fetch(`${apis.hosts[0]!.base}/api/agent-paid-callback-completion`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body,
  })
  const text = await answer.text()
  return { status: answer.status, body: JSON.parse(text) as Record<string, unknown> }
}

const now = () => Math.floor(Date.now() / 1000)
function byStripe(body: string, key = 'whsec_test_of_stripe') {
  const hex = createHmac('sha256', key).update(`${now()}.${body}`).digest('hex')
  return { 'stripe-signature': `t=${now()},v1=${hex}` }
}
const byTills = (body: string) => signedByTills(body, 'msg_1')
const stripe = (event: unknown) => {
  const body = JSON.stringify(event)
  return send(body, byStripe(body))
}
const tills = (event: unknown) => {
  const body = JSON.stringify(event)
  return send(body, byTills(body))
}
const settled = {
  event_id: 'evt_form',
  type: 'payment.settled',
  external_reference: 'cs_form',
  amount_usd: 107,
  currency: 'usd',
}

verifies(
  'money.provider-event-form',
  'an event of a type of no concern is 202, whatever its shape',
  async () => {
    const ignored = { status: 202, body: { event_id: null, accepted: false, duplicate: false } }
    const others = [
      { ...stripeEvent('balance.available', {}), data: { object: { available: [] } } },
      { id: 'evt_thin', object: 'v2.core.event', type: 'v1.billing.meter.no_meter_found' },
      { ...stripeEvent('charge.succeeded', { id: 7 }), id: 'x'.repeat(300) },
      { ...stripeEvent('customer.created', { name: '\u0000' }), id: 'evt_\u0000' },
      { type: 'invoice.paid', data: null },
      { data: 'no type at all' },
    ]
    for (const event of others)
      expect(await stripe(event), JSON.stringify(event)).toMatchObject(ignored)
    expect(await tills({ type: 'payout.created', anything: [1] })).toMatchObject(ignored)
    const long = { ...stripeEvent('customer.updated', {}), padding: 'x'.repeat(900_000) }
    expect(await stripe(long)).toMatchObject(ignored)
  },
)

verifies(
  'money.provider-event-form',
  'NUL and lone surrogates in the names of an event are 400',
  async () => {
    const session = (more: object) =>
      stripeEvent('checkout.session.completed', checkoutSession(more as never))
    for (const ill of ['x\u0000', '\ud800x', 'x\u202e']) {
      const events = [
        { ...session({}), id: ill },
        session({ id: ill }),
        session({ payment_intent: ill }),
        session({ currency: ill }),
      ]
      for (const event of events)
        expect(await stripe(event), JSON.stringify(ill)).toMatchObject({
          status: 400,
          body: { code: 'invalid_request', money_moved: 'no' },
        })
      for (const name of ['event_id', 'external_reference'])
        expect(await tills({ ...settled, [name]: ill })).toMatchObject({
          status: 400,
          body: { code: 'invalid_request' },
        })
    }
    expect(await stripe(session({}))).toMatchObject({ status: 202, body: { accepted: true } })
    expect(await tills(settled)).toMatchObject({ status: 202, body: { accepted: true } })
  },
)

verifies(
  'money.provider-event-form',
  'over the limit of its address no large body is read',
  async () => {
    const large = JSON.stringify({ type: 'customer.updated', padding: 'x'.repeat(1_000_000) })
    const address = newAddress()
    expect((await send(large, byStripe(large, 'whsec_other_of_stripe'), address)).status).toBe(401)
    const answers: number[] = []
    while (answers.at(-1) !== 429 && answers.length < 100)
      answers.push((await send('{}', {}, address)).status)
    expect(answers.at(-1)).toBe(429)
    expect((await send(large, byStripe(large), address)).status).toBe(429)
    const tooLarge = `${large}${' '.repeat(60_000)}`
    expect((await send(tooLarge, byStripe(tooLarge))).status).toBe(413)
    expect((await send(large, {})).status).toBe(413)
  },
)
