import { z } from 'zod'
import { controlScopes } from '#domain/payouts/controls.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { RingName, ServiceKey, ServiceKeyRotation } from '../../shapes/keys.ts'

const Ring = z
  .strictObject({
    ring: RingName,
    keys: z.array(ServiceKey).meta({ description: 'At most 20, the newest first.' }),
    rotation: ServiceKeyRotation.extend({ temporal_url: z.string().nullable() }).nullable().meta({
      id: 'RingRotation',
      description: 'The one that is open, or else the last that was done.',
    }),
  })
  .meta({ id: 'KeyRing' })

/** GET /api/operator/key-rings: each ring of signing keys with the step that its rotation is at. */
export const keyRings = operation({
  id: 'key-rings',
  summary: 'Read the rings of signing keys, the standing of each key, and the open rotations.',
  http: { method: 'GET', path: '/api/operator/key-rings', host: 'base' },
  access: 'operator',
  output: z.strictObject({ rings: z.array(Ring) }).meta({ id: 'KeyRings' }),
  handle: async (_input, context) => ({ body: { rings: await context.keyRings.read() } }),
})

const Usdc = z.string().meta({ description: 'US dollars of the stablecoin.' })
const output = z
  .strictObject({
    payout_wallet: z.strictObject({
      address: z.string(),
      balance_usdc: Usdc.nullable().meta({ description: 'Null while the chain does not answer.' }),
    }),
    daily_cap: z.strictObject({ cap_usdc: Usdc, used_usdc: Usdc, left_usdc: Usdc }),
    gas_wallets: z.array(
      z.strictObject({
        address: z.string(),
        balance_wei: z.string().nullable(),
        open_transactions: z.int(),
        oldest_nonce: z.string().nullable(),
        waiting_seconds: z.int(),
        jammed: z.boolean(),
      }),
    ),
    credit: z.strictObject({
      outstanding_units: z.int(),
      funded: z.int().meta({ description: 'Credits that are funded and not used up.' }),
      reserved_units: z.int().meta({ description: 'Reserved for tasks.' }),
      wallet_units: z.int().meta({ description: 'What the service owes to allowance wallets.' }),
      debt_units: z.int().meta({ description: 'What allowance wallets owe to the service.' }),
      revenue_units: z.int().meta({
        description: 'Earned by runs and used credit, without their fees; no test money.',
      }),
      fee_units: z.int().meta({ description: 'Rail fees and other fees in the ledger.' }),
    }),
    call_fees: z
      .strictObject({
        settled: z.int(),
        usdc: Usdc,
        credits: z.int().meta({ description: 'Settled charges whose call was not answered.' }),
      })
      .meta({ description: 'What was paid with calls, by x402; the fees of runs are fee_units.' }),
    series: z.array(
      z.strictObject({
        at: Time,
        paid_out: z.number(),
        earned: z.number(),
        credited: z.number(),
      }),
    ),
    statements: z.array(
      z.strictObject({ day: z.string(), sha256: z.string(), kid: z.string(), made_at: Time }),
    ),
    open_differences: z.int(),
  })
  .meta({ id: 'Money' })

/** GET /api/operator/money: balances, the daily cap, credit, wallets, revenue, fees, statements, and what moved over a day or 30 days. */
export const money = operation({
  id: 'money',
  summary:
    'Read balances, the daily cap, credit, wallets, revenue, fees, statements, and what moved.',
  http: { method: 'GET', path: '/api/operator/money', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    span: z
      .enum(['day', 'month'])
      .default('day')
      .meta({ description: 'Hours of the last day, or days of the last 30.' }),
  }),
  output,
  handle: async ({ span }, context) => ({ body: await context.money.read(span) }),
})

const shared = {
  scope: z.enum(controlScopes),
  target: z.string().nullable(),
  reason: z.string(),
  operator_name: z.string(),
  changed_at: Time,
}

/** GET /api/operator/pauses: what is paused now, and the last 50 changes. */
export const pauses = operation({
  id: 'pauses',
  summary: 'Read what is paused now, by whom and why, and the latest changes.',
  http: { method: 'GET', path: '/api/operator/pauses', host: 'base' },
  access: 'operator',
  output: z
    .strictObject({
      active: z.array(z.strictObject(shared).meta({ id: 'ActivePause' })),
      changes: z.array(
        z
          .strictObject({
            ...shared,
            change_id: z.string(),
            paused: z.boolean(),
            receipt_id: z.string(),
          })
          .meta({ id: 'PauseChange' }),
      ),
    })
    .meta({ id: 'Pauses' }),
  handle: async (_input, context) => ({ body: await context.switches.pauses() }),
})
