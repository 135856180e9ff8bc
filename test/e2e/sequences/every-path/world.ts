import { join } from 'node:path'
import { scopes } from '#domain/agents/credential.ts'
import { rails } from '#domain/rails/index.ts'
import type { Rail } from '#domain/rails/rail.ts'
import { writeSecret } from '../../../../activities/config/secret-file.ts'
import { generateSigningKeys } from '../../../../activities/keys/generate.ts'
import {
  type Answer,
  type Client,
  createClient,
  type InputOf,
  type OutputOf,
} from '../../../../api/http/client.ts'
import { findFree } from '../../../../worker/stack/ports.ts'
import { freshKey, openAgentUse } from '../../../support/agent-use.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import type { Event, startMoneyApis } from '../../../support/money-over-http.ts'
import { scratchDirectory } from '../../../support/postgres.ts'
import { decide, type Hosts } from '../../../support/registering-agent.ts'
import { rotateSigningKeys } from '../../../support/rotated-keys.ts'

type RailKey = InputOf<'agent-quote'>['rail']
const allRails = rails.map(({ key }) => key) as RailKey[]

type Notify = Awaited<ReturnType<typeof startMoneyApis>>['notify']
/** Who calls the service in the table, and what they prepare. */
export type World = Awaited<ReturnType<typeof openWorld>>

/** An agent with every scope, an operator and strangers, over one service; `more` are settings of the other one. */
export async function openWorld(
  apis: ComposedApis & { notify?: Notify },
  more: (directory: string) => Promise<Record<string, string>> = async () => ({}),
) {
  const hosts = apis.hosts[0] as Hosts
  const newAgent = () =>
    openAgentUse(hosts, apis.operator, { rails: allRails, requested_scopes: [...scopes] })
  const agent = await newAgent()
  const reach = (more: Partial<Parameters<typeof createClient>[0]>, alias?: Alias) => {
    const { BASE_URL, OS_URL } = apis.config
    // It signs for where the service is configured to be, and calls where it listens.
    const send = (url: string, init: RequestInit) =>
      fetch(aliased(url.replace(BASE_URL, hosts.base).replace(OS_URL, hosts.os), alias), init)
    return createClient({ baseUrl: BASE_URL, osUrl: OS_URL, fetch: send, ...more })
  }
  const review = (
    subject_kind: NonNullable<InputOf<'loop-review-record'>['subject_kind']>,
    subject: string,
    decision: 'approve' | 'reject' = 'approve',
  ) => decide(hosts, apis.operator, subject, decision, { subject_kind })
  const others: ComposedApis[] = []
  let units = 1
  let wallet: Promise<Answer<OutputOf<'allowance-wallet-create'>>> | undefined
  /** A quote that was not made before. */
  const quote = async (rail: RailKey = 'packetops', tier: 'entry' | 'standard' = 'standard') => {
    const asked = { rail, tier, units: ++units, idempotency_key: freshKey() }
    return (await agent.client.call('agent-quote', asked)).body.quote
  }
  const present = async (quote_id: string) => {
    const external_reference = `INV-${freshKey()}`
    const paid = { quote_id, method: 'invoice_reference', external_reference } as const
    const input = { ...paid, idempotency_key: freshKey() }
    return (await agent.client.call('payment-reference-create', input)).body.payment_reference
  }
  return {
    apis,
    hosts,
    agent,
    agentId: agent.registered.agent.agent_id,
    newAgent,
    open: reach({}),
    operator: reach({ operator: apis.operator }),
    /** Who has a status token, and the key of the agent where it signs. */
    holder: (statusToken: string): Client =>
      reach({ statusToken, signAsAgent: agent.agent.signText }),
    /** Who has the key of a registration and nothing else. */
    signing: (signAsAgent: (text: string) => string): Client => reach({ signAsAgent }),
    /** Sends an event as the payment provider. */
    notify: async (event: Event) => {
      if (apis.notify === undefined) throw new Error('no payment provider is configured')
      return apis.notify(event)
    },
    review,
    quote,
    present,
    /** A payment of a new quote that an operator has confirmed. */
    paid: async (rail?: RailKey) => {
      const { quote_id, total_usd } = await quote(rail)
      const reference = await present(quote_id)
      await review('payment_reference', reference.payment_reference_id)
      return { ...reference, quote_id, total_usd, entitlement_id: String(reference.entitlement_id) }
    },
    /** The agent's wallet, into which an operator confirms so much. */
    wallet: async (amount_usd = 0) => {
      const { call } = agent.client
      wallet ??= call('allowance-wallet-create', { idempotency_key: freshKey() })
      const { wallet_id } = (await wallet).body.wallet
      if (amount_usd === 0) return wallet_id
      const paid = { method: 'invoice_reference', external_reference: freshKey() } as const
      const funding = { mode: 'fund_allowance', wallet_id, amount_usd, ...paid } as const
      const { body } = await call('allowance-fund', { ...funding, idempotency_key: freshKey() })
      await review('payment_reference', body.payment_reference.payment_reference_id)
      return wallet_id
    },
    input: (key: string) =>
      (rails as readonly Pick<Rail, 'key' | 'sandboxInput'>[]).find((rail) => rail.key === key)
        ?.sandboxInput as Record<string, unknown>,
    /** The same service where it is configured otherwise, with a second version of each key. */
    elsewhere: async (alias?: Alias) => {
      const other = others[0] ?? (await startElsewhere(more))
      if (others.length === 0) others.push(other)
      return clientOf(other, alias)
    },
    /** Callers who use another path of an operation. */
    openAt: (alias: Alias) => reach({}, alias),
    agentAt: (alias: Alias) => reach({ agent: agent.credential }, alias),
    stop: async () => {
      for (const other of others) await other.stop()
      await apis.stop()
    },
  }
}

async function startElsewhere(
  more: (directory: string) => Promise<Record<string, string>>,
): Promise<ComposedApis> {
  const [base, os] = await findFree(2)
  const directory = await scratchDirectory()
  const keys = join(directory, 'keys.json')
  const [before, now] = [Date.now() - 86_400_000, Date.now()].map((at) => new Date(at))
  writeSecret(keys, rotateSigningKeys(generateSigningKeys(before as Date), now as Date))
  return startComposed({
    env: {
      BASE_URL: `http://127.0.0.1:${base}`,
      OS_URL: `http://127.0.0.1:${os}`,
      SIGNING_KEYS_FILE: keys,
      ...(await more(directory)),
    },
  })
}

/** The path of an operation, and another one that it has. */
export type Alias = readonly [path: string, other: string]
const aliased = (url: string, alias: Alias = ['', '']): string => url.replace(...alias)

const clientOf = ({ hosts: [first] }: ComposedApis, alias?: Alias): Client =>
  createClient({
    baseUrl: first?.base ?? '',
    osUrl: first?.os ?? '',
    fetch: (url, init) => fetch(aliased(url, alias), init),
  })
