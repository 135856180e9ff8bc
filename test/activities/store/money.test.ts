import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { entitlementTransitions } from '#domain/credit/credit.ts'
import { challengeTransitions, referenceTransitions } from '#domain/payments/payment-reference.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { claimQuote, issueQuote, openEntitlement } from '../../../activities/credit/quotes.ts'
import { secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { movesOf } from '../../support/moves.ts'
import { verifies } from '../../verifies.ts'
import { funded, hex, newAgent, packetops, quoted, startMoney } from '../credit/fixture.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

const run = (text: string) => sql.raw(text).execute(deps.db)
const refused = { code: '23514' }
const receipt = async (tx: Tx, kind: string): Promise<string> => {
  const receipt_id = `rc_${hex(32)}`
  const row = {
    receipt_id,
    subject: receipt_id,
    seq: 0,
    kind,
    jws: 'j',
    kid: 'k',
    payload_sha256: 'p',
    prev: null,
  }
  await tx.insertInto('receipts').values(row).execute()
  return receipt_id
}
/** Writes these legs in one transaction under a receipt of this kind. */
const post = (kind: string, legs: [account: string, units: number][]) =>
  transaction(deps.db, async (tx) => {
    const receipt_id = await receipt(tx, kind)
    for (const [account, units] of legs)
      await tx
        .insertInto('postings')
        .values({ receipt_id, account: account as never, units })
        .execute()
    return receipt_id
  })
const wallet = () => `wallet:aw_${hex(32)}`

verifies(
  'money.sql.balanced',
  'postings that do not sum to zero never reach a commit',
  async () => {
    const account = wallet()
    await expect(post('settlement_receipt', [[account, 5]])).rejects.toMatchObject(refused)
    await expect(
      post('settlement_receipt', [
        ['clearing:hosted_checkout', -4],
        [account, 5],
      ]),
    ).rejects.toMatchObject(refused)
    const receiptId = await post('settlement_receipt', [
      ['clearing:hosted_checkout', -5],
      [account, 5],
    ])
    const later = `insert into postings (receipt_id, account, units) values ('${receiptId}', '${wallet()}', 1), ('${receiptId}', 'clearing:invoice_reference', -1)`
    await expect(run(later)).rejects.toMatchObject(refused)
    await expect(
      run(`update postings set units = 6 where receipt_id = '${receiptId}'`),
    ).rejects.toMatchObject(refused)
    await expect(
      run(`delete from postings where receipt_id = '${receiptId}'`),
    ).rejects.toMatchObject(refused)
  },
)

verifies(
  'money.sql.balanced',
  'no credit or wallet falls below zero; balances follow postings alone',
  async () => {
    const [from, to] = [wallet(), wallet()]
    await post('settlement_receipt', [
      ['clearing:hosted_checkout', -5],
      [from, 5],
    ])
    await expect(
      post('settlement_receipt', [
        [from, -6],
        [to, 6],
      ]),
    ).rejects.toMatchObject(refused)
    await expect(
      run(`update account_balances set units = 100 where account = '${from}'`),
    ).rejects.toMatchObject(refused)
    await expect(
      run(`insert into account_balances values ('${wallet()}', 5)`),
    ).rejects.toMatchObject(refused)
    await expect(
      run(`delete from account_balances where account = '${from}'`),
    ).rejects.toMatchObject(refused)
    expect(
      (await run(`select units from account_balances where account = '${from}'`)).rows,
    ).toEqual([{ units: 5 }])
  },
)

verifies('money.sql.receipts', 'only a settlement funds credit, and only usage earns', async () => {
  const { entitlement } = await funded(deps)
  const credit = `credit:${entitlement.entitlement_id}`
  for (const [kind, legs] of [
    [
      'usage_receipt',
      [
        ['clearing:hosted_checkout', -5],
        [credit, 5],
      ],
    ],
    [
      'settlement_receipt',
      [
        [credit, -5],
        ['revenue:packetops', 5],
      ],
    ],
    [
      'settlement_receipt',
      [
        ['clearing:hosted_checkout', -5],
        ['fees', 5],
      ],
    ],
    [
      'usage_receipt',
      [
        [credit, -5],
        ['clearing:hosted_checkout', 5],
      ],
    ],
    [
      'credit_return',
      [
        [credit, -5],
        ['fees', 5],
      ],
    ],
    [
      'payout_created',
      [
        ['clearing:hosted_checkout', -5],
        [wallet(), 5],
      ],
    ],
    // Balanced and of the right kind, but the entitlement does not say so.
    [
      'usage_receipt',
      [
        [credit, -5],
        ['revenue:packetops', 5],
      ],
    ],
  ] as [string, [string, number][]][])
    await expect(post(kind, legs), `${kind} ${legs}`).rejects.toMatchObject(refused)
  const spend = `update entitlements set consumed_units = 5 where entitlement_id = '${entitlement.entitlement_id}'`
  await expect(run(spend)).rejects.toMatchObject(refused)
})

const states = (table: Record<string, unknown>) => Object.keys(table)

verifies('money.states', 'SQL allows exactly the moves of the three tables', async () => {
  const tables = [
    { name: 'entitlements', table: entitlementTransitions },
    { name: 'payment_challenges', table: challengeTransitions },
    { name: 'payment_references', table: referenceTransitions },
  ]
  for (const { name, table } of tables) {
    const allowed = new Set(movesOf<string, string>(table))
    for (const from of states(table)) {
      for (const to of states(table)) {
        const [row] = (
          await sql<{
            body: string
          }>`select prosrc as body from pg_proc where proname = ${`${name}_guard`}`.execute(deps.db)
        ).rows
        if (from !== to)
          expect(row?.body.includes(`('${from}','${to}')`), `${name} ${from} ${to}`).toBe(
            allowed.has(`${from} ${to}`),
          )
      }
    }
  }
})

verifies(
  'money.states',
  'a transition outside the table or a changed amount is refused in SQL',
  async () => {
    const { challenge, entitlement, reference } = await funded(deps)
    const { challenge: open, entitlement: pending } = await quoted(deps)
    const where = {
      en: `where entitlement_id = '${entitlement.entitlement_id}'`,
      ch: `where challenge_id = '${challenge.challenge_id}'`,
      pr: `where payment_reference_id = '${reference.payment_reference_id}'`,
    }
    for (const text of [
      `update entitlements set state = 'consumed', consumed_units = granted_units where entitlement_id = '${pending.entitlement_id}'`,
      `update entitlements set granted_units = 1000 ${where.en}`,
      `update entitlements set agent_id = 'agt_other' ${where.en}`,
      `update entitlements set source = 'wallet:aw_x' ${where.en}`,
      `delete from entitlements ${where.en}`,
      `update payment_challenges set state = 'open' ${where.ch}`,
      `update payment_challenges set amount_usd = 1 ${where.ch}`,
      `update payment_challenges set state = 'settled' where challenge_id = '${open.challenge_id}'`,
      `update payment_challenges set expires_at = now() + interval '1 day' where challenge_id = '${open.challenge_id}'`,
      `update payment_references set state = 'pending' ${where.pr}`,
      `update payment_references set external_reference = 'x' ${where.pr}`,
      `update payment_references set amount_usd = 1 ${where.pr}`,
      `update quotes set total_usd = 1, base_usd = 1, rail_fee_usd = 0 where quote_id = '${open.quote_id}'`,
    ])
      await expect(run(text), text).rejects.toMatchObject(refused)
  },
)

verifies('caller.quote-bound', 'SQL neither takes a bound quote nor moves its credit', async () => {
  const [first, second] = [newAgent(), newAgent()]
  const token = hex(32)
  const { quote_id } = await transaction(deps.db, (tx) =>
    issueQuote(deps, tx, {
      by: { tokenSha256: secretSha256(token) },
      rail: packetops,
      tier: 'entry',
    }),
  )
  const credit = (agentId: string) => `insert into entitlements
    (entitlement_id, quote_id, agent_id, rail, tier, state, granted_units, fee_units)
    values ('en_${hex(32)}', '${quote_id}', '${agentId}', 'packetops', 'entry', 'pending', 49, 0)`
  await expect(run(credit(first))).rejects.toMatchObject(refused)
  const claims = [first, second].map((owner) =>
    transaction(deps.db, (tx) => claimQuote(tx, quote_id, { owner, token })).then(
      ({ bound_to }) => bound_to,
      () => undefined,
    ),
  )
  const [owner, ...others] = (await Promise.all(claims)).filter((one) => one !== undefined)
  expect(others).toEqual([])
  const other = owner === first ? second : first
  for (const by of [
    `update quotes set bound_to = '${other}' where quote_id = '${quote_id}'`,
    `update quotes set bound_to = null where quote_id = '${quote_id}'`,
    `update quotes set total_usd = 1, base_usd = 1 where quote_id = '${quote_id}'`,
    `delete from quotes where quote_id = '${quote_id}'`,
    credit(other),
  ])
    await expect(run(by), by).rejects.toMatchObject(refused)
  await run(credit(owner ?? ''))
})

verifies(
  'money.quote',
  'however many take up a quote at once, all get its one entitlement',
  async () => {
    const agentId = newAgent()
    for (let round = 0; round < 100; round += 1) {
      const quote = await transaction(deps.db, (tx) =>
        issueQuote(deps, tx, { by: { owner: agentId }, rail: packetops, tier: 'entry', units: 1 }),
      )
      const open = () => transaction(deps.db, (tx) => openEntitlement(tx, quote, agentId))
      const opened = await Promise.all(Array.from({ length: 8 }, open))
      expect(new Set(opened.map(({ entitlement_id }) => entitlement_id)).size).toBe(1)
    }
  },
)
