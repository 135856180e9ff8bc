import { randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { scopes } from '#domain/agents/credential.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import type { ClientOptions } from '../../../api/http/client.ts'
import { type AnyOperation, isPlain, waysOf } from '../../../api/operation.ts'
import {
  type Callers,
  isOpen,
  manyCalls,
  openCallers,
  openRows,
  send,
  writes,
} from '../../support/attacks.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { trustedAgent } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
let callers: Callers
let rows: Awaited<ReturnType<typeof openRows>>
beforeAll(async () => {
  apis = await startComposed({ env: manyCalls })
  callers = await openCallers(apis)
  rows = await openRows(apis.db)
})
afterAll(() => apis?.stop())

const closed = writes.filter((one) => !isOpen(one))
const wallet = () => privateKeyToAccount(generatePrivateKey())

/** The operations whose call is not refused by one of these statuses, or wrote a row. */
async function faults(
  asked: readonly AnyOperation[],
  presented: (operation: AnyOperation) => Parameters<typeof send>[3],
  statuses: readonly number[],
) {
  const found: unknown[] = []
  for (const operation of asked) {
    const { status, text } = await send(
      callers.hosts,
      operation,
      exampleOf(operation).input,
      presented(operation),
    )
    const changed = await rows.changed()
    if (!statuses.includes(status) || changed.length > 0)
      found.push([operation.id, status, text.slice(0, 200), changed])
  }
  return found
}

/** Removes what a client would present, so that a call has nothing but its body. */
const nothing = { agent: '', operator: '', wallet: wallet(), signAsAgent: () => '' }
const bare = {
  ...nothing,
  statusToken: `tk_${randomBytes(32).toString('base64url')}`,
  strip: ['authorization', 'x-service-wallet-proof', 'x-status-token', 'x-agent-signature'],
}

verifies('attack.no-credential', 'a write without a credential writes nothing', async () => {
  expect(closed.length).toBeGreaterThan(80)
  expect(await faults(closed, () => bare, [401, 404])).toEqual([])
})

verifies('attack.no-credential', 'a guessed credential of each kind writes nothing', async () => {
  const { guessed } = callers
  for (const kind of ['agent', 'operator', 'status'] as const) {
    const taken = writes.filter((one) => waysOf(one).includes(kind))
    const presented = () => {
      const { agent, operator, ...token } = guessed()
      const presenting = {
        agent: { ...token, agent },
        operator: { ...token, operator },
        status: token,
      }
      return presenting[kind]
    }
    expect(taken.length).toBeGreaterThan(10)
    expect(await faults(taken, presented, [401, 404])).toEqual([])
  }
  // An open operation that keeps its call refuses a wrong key, and does not take it for no key.
  const keeps = writes.filter((one) => isOpen(one) && (!isPlain(one) || waysOf(one).length > 1))
  const headers = () => ({ headers: { authorization: `Bearer ${guessed().agent}` } })
  const judges = ({ examines }: AnyOperation) => examines === true
  expect(
    await faults(
      keeps.filter((one) => !judges(one)),
      headers,
      [401],
    ),
  ).toEqual([])
})

verifies('attack.no-credential', 'a wallet proof of another wallet writes nothing', async () => {
  const paid = writes.filter((one) => waysOf(one).includes('wallet'))
  expect(paid.length).toBeGreaterThan(10)
  const other = wallet()
  const lying: ClientOptions['wallet'] = {
    address: wallet().address,
    signMessage: (message) => other.signMessage(message),
  }
  // Without a chain no contract is asked whether it signed.
  expect(await faults(paid, () => ({ wallet: lying as never }), [401, 503])).toEqual([])
})

verifies('attack.wrong-kind', 'a key, token or operator of another kind does nothing', async () => {
  const { agent } = callers
  const { status_token } = agent.registered
  const forOperators = writes.filter((one) => waysOf(one).join() === 'operator')
  const bearer = (credential: string) => ({
    ...bare,
    strip: bare.strip.slice(1),
    headers: { authorization: `Bearer ${credential}` },
  })
  expect(await faults(forOperators, () => bearer(agent.credential), [401, 403])).toEqual([])
  const withToken = { ...bare, headers: { 'x-status-token': status_token } }
  expect(await faults(forOperators, () => ({ ...withToken, strip: [] }), [401, 403])).toEqual([])
  const notForOperators = closed.filter((one) => !waysOf(one).includes('operator'))
  const asOperator = () => bearer(apis.operator)
  expect(await faults(notForOperators, asOperator, [401, 403, 404])).toEqual([])
})

verifies('attack.token-alone', 'a status token without its key writes nothing', async () => {
  const signed = writes.filter(({ statusToken }) => statusToken?.signed === true)
  const { status_token } = callers.agent.registered
  const other = { statusToken: status_token, signAsAgent: () => 'A'.repeat(86) }
  expect(signed.length).toBeGreaterThan(10)
  // The token is no one of a task, order or pilot: 404.
  expect(await faults(signed, () => other, [401, 404])).toEqual([])
})

verifies('attack.scopes', 'a key without the scope of a write writes nothing', async () => {
  for (const scope of scopes) {
    // A controlled pilot keeps the refusal of its chain, which its own tests show.
    const needing = writes.filter(
      ({ needs, judgesKey }) => !judgesKey && needs?.scopes.includes(scope),
    )
    if (needing.length === 0) continue
    const { credential } = await trustedAgent(callers.hosts, apis.operator, {
      requested_scopes: scopes.filter((one) => one !== scope),
      rails: ['packetops', 'tokenops', 'financeops', 'energyops', 'diligenceops'],
    })
    await rows.changed()
    expect(await faults(needing, () => ({ agent: credential }), [403])).toEqual([])
  }
})
