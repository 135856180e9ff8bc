import { setTimeout as pause } from 'node:timers/promises'
import { payoutId } from '#domain/core/ids.ts'
import { type Answer, type Client, ProblemError } from '../../../api/http/client.ts'
import type { Payout } from '../../../worker/stack/treasury.ts'
import { type Agent, nowSeconds, type PayoutAnswer, type Rail } from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { restart } from '../../support/faults.ts'
import type { AuthorizeInput } from '../../support/treasury-steps.ts'
import type { RunRecord } from '../chaos/run-record.ts'
import {
  type Act,
  fingerprint,
  type Name,
  nameOf,
  type Outcome,
  type Wallet,
  wallets,
} from './model.ts'

export const parts = ['worker 0', 'worker 1', 'api 0', 'api 1'] as const
export type PartName = (typeof parts)[number]
/** How long a caller keeps repeating one call. */
const PATIENCE_MS = 60_000

/** The real payout API with fresh wallets, called as agents call it: over both processes, blindly, until there is an answer. */
export type System = {
  /** What an authorize has to bring along takes calls of its own, and is fetched while nothing else happens. */
  prepare(act: Act): Promise<void>
  perform(act: Act): Promise<Outcome>
  kill(part: PartName): Promise<void>
  /** The stored state of a payout, what its recipient holds, and the charged calls of both wallets, reads left out. */
  observe(name: Name): Promise<{ state: string | undefined; held: bigint }>
  charged(): Promise<number>
  records(): RunRecord[]
}

type Owner = { agent: Agent; clients: Client[] }

export async function openSystem(rail: Rail): Promise<System> {
  const owners = {} as Record<Wallet, Owner>
  for (const wallet of wallets) {
    const agent = await rail.openAgent({ tokens: 10_000_000n })
    // Any token at all makes it a client that pays.
    const other = await rail.openAgent({ tokens: 1n, api: 1, wallet: agent })
    owners[wallet] = { agent, clients: [agent.client, other.client] }
  }
  const payouts = new Map<string, { recipient: string; payout?: Payout }>()
  /** Equal acts send the same bytes, including the times. */
  const authorizations = new Map<string, AuthorizeInput>()
  const records = new Map<string, RunRecord>()

  const known = (of: Name) => {
    const found = payouts.get(nameOf(of)) ?? { recipient: newWallet().address }
    payouts.set(nameOf(of), found)
    return found
  }
  const idOf = ({ owner, slot }: Name) => payoutId(owners[owner].agent.address, slot)

  const nameOfInput = (act: Act & { kind: 'authorize' }) => `${act.key} ${fingerprint(act)}`

  /** One call. */
  const callOf = (act: Act): ((client: Client) => Promise<Answer<PayoutAnswer>>) => {
    const { slot: idempotency_key } = act.of
    switch (act.kind) {
      case 'create': {
        const { recipient } = known(act.of)
        const terms = rail.terms({ idempotency_key, recipient, amount_usdc: act.amount })
        return (client) => client.call('payout-create', terms)
      }
      case 'authorize': {
        const input = authorizations.get(nameOfInput(act)) as AuthorizeInput
        return (client) => client.call('payout-authorize', input)
      }
      case 'execute':
        return (client) =>
          client.call('payout-execute', { payout_id: idOf(act.of), idempotency_key })
      case 'status':
        return (client) => client.call('payout-status', { payout_id: idOf(act.of) })
    }
  }

  return {
    prepare: async (act) => {
      if (act.kind !== 'authorize') return
      const name = nameOfInput(act)
      const expiresAt = nowSeconds() + act.life
      const ids = { payout_id: idOf(act.of), idempotency_key: act.key }
      const input = authorizations.get(name) ?? { ...nothing, ...ids, expires_at: expiresAt }
      authorizations.set(name, input)

      const payout = payouts.get(nameOf(act.of))?.payout
      if (payout === undefined || input.presentation !== nothing.presentation) return
      const terms = { expiresAt, idempotencyKey: act.key }
      // A mandate is only issued for a created payout; for any other the call is sent with nothing in it.
      const mandated = await rail.treasury.authorize(payout, terms).catch((error: unknown) => {
        if (error instanceof ProblemError && error.code === 'wrong_state') return undefined
        throw error
      })
      if (mandated !== undefined) authorizations.set(name, mandated)
    },
    perform: async (act) => {
      const { clients } = owners[act.caller]
      const note = noteFor(
        records,
        act,
        known(act.of).recipient,
        owners[act.of.owner].agent.address,
        idOf(act.of),
      )
      const call = callOf(act)
      const until = Date.now() + PATIENCE_MS
      for (let attempt = 0; ; attempt += 1) {
        const answer = await call(clients[attempt % clients.length] as Client).catch(
          (error: unknown) => error,
        )
        const notified = readAnswer(answer)
        if (notified !== undefined) note(notified)
        if (notified?.final === true) {
          if (notified.body.payout !== undefined) known(act.of).payout = notified.body.payout
          // Who presents nothing is refused either way: before the create as unknown, after it for what is missing.
          const empty = act.kind === 'authorize' && notified.outcome.code === 'authority_denied'
          return empty ? { status: 404, code: 'not_found' } : notified.outcome
        }
        if (Date.now() > until)
          throw answer instanceof Error ? answer : new Error('the call stayed open')
        await pause(100)
      }
    },
    kill: async (part) => {
      const [kind, index] = part.split(' ') as ['worker' | 'api', string]
      const killed = rail.stack[kind](Number(index))
      await killed.kill('SIGKILL')
      await restart(killed)
    },
    observe: async (name) => {
      const row = rail.db.selectFrom('payouts').select('state').where('payout_id', '=', idOf(name))
      const held = rail.balance(known(name).recipient)
      return { state: (await row.executeTakeFirst())?.state, held: await held }
    },
    charged: async () => {
      const callers = wallets.map((wallet) => `wallet:${owners[wallet].agent.address}`)
      const rows = await rail.db
        .selectFrom('calls')
        .select('call_id')
        .where('caller', 'in', callers)
        .where('operation', '<>', 'payout-status')
        .where('grant_state', '=', 'used')
        .where('funding', '<>', 'none')
        .execute()
      return rows.length
    },
    records: () => [...records.values()],
  }
}

const nothing = {
  presentation: 'none',
  challenge_token: 'none',
  principal_signature: `0x${'00'.repeat(65)}`,
}

type Notice = {
  status: number
  body: Partial<PayoutAnswer>
  replayed: boolean
  final: boolean
  outcome: Outcome
}

/** Nothing where no answer came back. */
function readAnswer(answer: unknown): Notice | undefined {
  if (answer instanceof ProblemError) {
    const { status, code, retryable } = answer.problem
    return {
      status,
      body: answer.problem as object,
      replayed: false,
      final: !retryable,
      outcome: { status, code },
    }
  }
  if (answer instanceof Error) return undefined
  const { status, body, replayed } = answer as Answer<PayoutAnswer>
  return {
    status,
    body,
    replayed,
    final: status !== 202,
    outcome: { status, state: body.payout.state },
  }
}

/** Records the answers to the owner, by payout and by call, for the checker. */
function noteFor(
  records: Map<string, RunRecord>,
  act: Act,
  recipient: string,
  creator: string,
  id: string,
): (notified: Notice) => void {
  if (act.caller !== act.of.owner) return () => undefined
  const about = { creator, payoutId: id, recipient, amountAtomic: '0', expects: 'either' as const }
  const record = records.get(id) ?? { index: 0, seed: 0, schedule: [], calls: [], ...about }
  records.set(id, record)
  const operation = `payout-${act.kind}`
  const key = `${act.kind === 'authorize' ? act.key : ''} ${fingerprint(act)}`
  let call = record.calls.find((one) => one.operation === operation && one.key === key)
  if (call === undefined) {
    call = { operation, key, answers: [] }
    record.calls.push(call)
  }
  const { answers } = call
  const askedMs = Date.now()
  return ({ status, body, replayed }) =>
    answers.push({ status, body, replayed, askedMs, atMs: Date.now() })
}
