import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createClient, type InputOf } from '../../api/http/client.ts'
import { type ComposedApis, startComposed } from './composed-api.ts'
import { scratchDirectory } from './postgres.ts'
import { providerIn, signedByTills } from './provider.ts'
import { decide, trustedAgent } from './registering-agent.ts'

export const key = () => randomBytes(8).toString('hex')
const idempotencySecret = randomBytes(24).toString('base64url')
type Scopes = NonNullable<InputOf<'agent-register'>['requested_scopes']>
export type Event = { event_id: string; [fact: string]: unknown }

/** APIs that believe one payment provider, with agents that buy and an operator who decides. */
export async function startMoneyApis(apis = 1, more: Record<string, string> = {}) {
  const directory = await scratchDirectory()
  const env = { ...(await providerIn(directory)), LIMIT_AGENT_PER_MINUTE: '6000', ...more }
  const composed = await startComposed({ apis, env })
  const stop = async () => {
    await composed.stop()
    await rm(directory, { recursive: true, force: true })
  }
  return { ...composed, ...callersOf(composed), stop }
}

function callersOf({ hosts, operator }: ComposedApis) {
  const [first] = hosts
  if (first === undefined) throw new Error('no API runs')
  // Tests of repeats play one caller, who is known by this secret.
  const open = (api = 0) => createClient({ baseUrl: hosts[api]?.base ?? '', idempotencySecret })
  return {
    open,
    console: createClient({ baseUrl: first.base, operator }),
    decide: (subjectId: string, decision: 'approve' | 'reject' | 'revise') =>
      decide(first, operator, subjectId, decision, { subject_kind: 'payment_reference' }),
    /** A trusted agent with these scopes, and a client of it for each API. */
    agent: async (scopes: Scopes) => {
      const rails = ['packetops' as const, 'energyops' as const]
      const { credential, registered } = await trustedAgent(first, operator, {
        rails,
        requested_scopes: scopes,
      })
      const clients = hosts.map(({ base }) => createClient({ baseUrl: base, agent: credential }))
      const { call } = clients[0] as (typeof clients)[number]
      return { agentId: registered.agent.agent_id, credential, call, clients }
    },
    notify: (event: Event, as?: Parameters<typeof signedByTills>[2]) =>
      notify(first.base, event, as),
  }
}

/** Sends an event as the provider, or with another key or time. */
export async function notify(base: string, event: Event, as?: Parameters<typeof signedByTills>[2]) {
  const body = JSON.stringify(event)
  const answer = await fetch(`${base}/api/agent-paid-callback-completion`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signedByTills(body, event.event_id, as) },
    body,
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** A provider's word on the payment of a session. */
export const providerEvent = (
  type: string,
  external_reference: string,
  amount_usd: number,
  more = {},
): Event => ({
  event_id: `evt_${key()}`,
  type,
  external_reference,
  amount_usd,
  currency: 'usd',
  ...more,
})
