import { sql } from 'kysely'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import type { createClient, InputOf } from '../../api/http/client.ts'
import { freshKey } from './agent-use.ts'

export type ProofInput = InputOf<'commerce-proof-evaluate'>

/** A named text with its digest. */
export const artifactOf = (content: string, name = 'report.md') => ({
  name,
  sha256: sha256Hex(content),
  content,
})

/** Evidence that is a text of today. */
export const notedToday = (text: string, id = 'note') => ({
  id,
  sha256: sha256Hex(text),
  text,
  dated: new Date().toISOString(),
})

/** A package that was not proven before: its text has a fresh name in it. */
export function freshPackage() {
  const content = `The invoice ${freshKey()} of November comes to 412.80 USD in all.`
  return {
    artifacts: [artifactOf(content)],
    claims: [{ claim: 'comes to 412.80 USD', artifact: 'report.md' }],
  }
}

/** A proof that lacks nothing, needs no payment, and rests on no record of this service. */
export const freeProof = (more: Partial<ProofInput> = {}): ProofInput => ({
  schema_version: 'v1',
  mission: { mission_id: `m-${freshKey()}`, kind: 'free_proof', objective: 'Hand it over.' },
  agent: { name: 'Ledger reader' },
  return_package: freshPackage(),
  evidence: [notedToday('The customer took it over.')],
  idempotency_key: freshKey(),
  ...more,
})

/** The mission of a proof with other members. */
export const missionOf = (
  kind: ProofInput['mission']['kind'],
  more: Partial<ProofInput['mission']> = {},
): ProofInput['mission'] => ({
  mission_id: `m-${freshKey()}`,
  kind,
  objective: 'Deliver the report.',
  ...more,
})

const digest = () => sha256Hex(freshKey())
const address = () => `0x${digest().slice(0, 40)}`

/** Stores rows without the work that leads to them. */
const asStored = (db: Tx, store: (tx: Tx) => Promise<unknown>) =>
  transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await store(tx)
  })

/** A handoff pack for a wallet that the account of an agent bound. */
export async function storePack(
  db: Tx,
  { agentId }: { agentId: string },
  { usage = 'operational', isBound = true } = {},
): Promise<string> {
  const [pack_id, recipient] = [`hp_${digest()}`, address()]
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')
  const jws = `${part({ kid: 'k' })}.${part({ iss: 'i', iat: 1, sub: pack_id, kind: 'handoff_pack', usage })}.${part({})}`
  await asStored(db, async (tx) => {
    await sql`insert into handoff_packs (pack_id, builder, recipient, task_id, seq, status, pack_sha256, expires_at, jws, kid,
        receipt_id, call_id, issued_at)
      values (${pack_id}, ${address()}, ${recipient}, 'reports', 1, 'completed', ${sha256Hex(jws)},
        now() + interval '1 day', ${jws}, 'k', ${`rc_${digest()}`}, ${freshKey()}, now())`.execute(
      tx,
    )
    if (isBound)
      await sql`insert into account_wallets (wallet, account_id, signature, receipt_id)
        select ${recipient}, account_id, '0x', ${`rc_${digest()}`} from agents where agent_id = ${agentId}`.execute(
        tx,
      )
  })
  return pack_id
}

/** A pilot of an agent, whose run has this credit and was started over MCP. */
export async function storePilot(
  db: Tx,
  { agentId }: { agentId: string },
  { credit = null as string | null, state = 'delivered' } = {},
): Promise<string> {
  const [pilot_id, task_id] = [`pl_${digest()}`, `task-${digest()}`]
  const audit_event_id = `aud_${digest()}`
  await asStored(db, async (tx) => {
    await sql`insert into tasks (task_id, state, sequence, head_hash, agent_id, rail, tier, usage, on_gaps, terms_sha256,
        input_sha256, review_decision, entitlement_id, run_id)
      values (${task_id}, 'operating', 1, ${digest()}, ${agentId}, 'packetops', 'standard', 'operational', 'report',
        ${digest()}, ${digest()}, 'approve', ${credit}, ${`run_${digest()}`})`.execute(tx)
    await sql`insert into pilots (pilot_id, source, rail, tier, total_usd, client, objective, agent_id, status_token_sha256, state)
      values (${pilot_id}, 'controlled', 'packetops', 'standard', 107, '{"name":"Client"}', 'Deliver.', ${agentId},
        ${digest()}, ${state})`.execute(tx)
    await sql`insert into production_writes (audit_event_id, kind, operation_id, rail, agent_id, credential_id, tool, subject,
        checks, passed, customer_account)
      values (${audit_event_id}, 'written', 'pilot-run', 'packetops', ${agentId}, 'c', 'start_rail_run', ${task_id}, '[]',
        true, 'client')`.execute(tx)
    await sql`insert into pilot_runs (task_id, pilot_id, audit_event_id, asked_sha256, customer_account)
      values (${task_id}, ${pilot_id}, ${audit_event_id}, ${digest()}, 'client')`.execute(tx)
  })
  return pilot_id
}

type MoneyApis = {
  db: Tx
  decide(id: string, decision: 'approve' | 'reject' | 'revise'): Promise<unknown>
}
type Payer = Pick<ReturnType<typeof createClient>, 'call'> & { agentId: string }

let units = 1
/** A payment of this agent that an operator confirms, unless said otherwise. */
export async function payment(
  apis: MoneyApis,
  by: Payer,
  decision: 'approve' | 'none' = 'approve',
) {
  const asked = { rail: 'packetops', tier: 'standard', units: ++units } as const
  const { quote } = (await by.call('agent-quote', { ...asked, idempotency_key: freshKey() })).body
  const paid = {
    quote_id: quote.quote_id,
    method: 'invoice_reference',
    external_reference: `INV-${freshKey()}`,
    idempotency_key: freshKey(),
  } as const
  const { payment_reference } = (await by.call('payment-reference-create', paid)).body
  const { payment_reference_id } = payment_reference
  if (decision !== 'none') await apis.decide(payment_reference_id, decision)
  return { payment_reference_id, amount_usd: quote.total_usd }
}

/** The credit that a payment is for. */
export async function creditOf(
  db: Tx,
  { payment_reference_id }: { payment_reference_id: string },
): Promise<string> {
  const { entitlement_id } = await db
    .selectFrom('payment_references')
    .select('entitlement_id')
    .where('payment_reference_id', '=', payment_reference_id)
    .executeTakeFirstOrThrow()
  return String(entitlement_id)
}

/** The proof of a delivered pilot of this agent, paid by a payment that was confirmed. */
export async function paidDelivery(apis: MoneyApis, by: Payer): Promise<ProofInput> {
  const paid = await payment(apis, by)
  const credit = await creditOf(apis.db, paid)
  const mission_id = await storePilot(apis.db, by, { credit })
  return freeProof({ mission: missionOf('pilot_delivery', { mission_id }), payment: paid })
}
