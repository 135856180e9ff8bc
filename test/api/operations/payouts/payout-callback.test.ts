import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { walletBindingText } from '#domain/accounts/controls.ts'
import { createClient } from '../../../../api/http/client.ts'
import { proofOf } from '../../../support/agent.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
})
afterAll(() => apis?.stop())

const path = '/api/payout-callback'
const wallet = privateKeyToAccount(`0x${'21'.repeat(32)}`)

/** A call of the wallet that may be sent again as it is, to either process. */
async function signed(body: object) {
  const proof = await proofOf(wallet, apis.config.BASE_URL, path, body)
  return async (api = 0) => {
    const answer = await fetch(`${apis.hosts[api]!.base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...proof },
      body: JSON.stringify(body),
    })
    const { callback_url, code } = (await answer.json()) as {
      callback_url?: string | null
      code?: string
    }
    return {
      status: answer.status,
      url: callback_url,
      code,
      replayed: answer.headers.get('idempotent-replayed'),
    }
  }
}
const setting = (callback_url: string | null) => signed({ mode: 'set_callback', callback_url })
const current = async () => (await (await signed({ mode: 'read_callback' }))()).url

verifies('admission.proof-once', 'a proof that set a callback does not set it again', async () => {
  const [first, second] = ['https://hooks.first.example/in', 'https://hooks.second.example/in']
  const setFirst = await setting(first)
  const answers = await Promise.all([setFirst(0), setFirst(1), setFirst(0)])
  expect(answers.map(({ status, url }) => [status, url])).toEqual(Array(3).fill([200, first]))
  expect(await (await setting(second))(1)).toMatchObject({ status: 200, url: second })
  expect(await setFirst(1)).toEqual({ status: 200, url: first, code: undefined, replayed: 'true' })
  expect(await current()).toBe(second)
  expect(await (await setting(null))()).toMatchObject({ status: 200, url: null })
  expect(await setFirst(0)).toMatchObject({ replayed: 'true' })
  expect(await current()).toBeNull()
  // A new proof for the same URL is a new call.
  expect(await (await setting(first))(1)).toMatchObject({ status: 200, url: first, replayed: null })
  expect(await current()).toBe(first)
})

verifies('admission.proof-once', 'what is refused uses up no proof for good', async () => {
  expect(await (await setting('https://127.0.0.1/in'))()).toMatchObject({
    code: 'callback_refused',
  })
  expect(await current()).toBe('https://hooks.first.example/in')
})

verifies('accounts.payout-callbacks', 'a bound wallet names allowed hosts alone', async () => {
  const [hosts] = apis.hosts
  const { credential } = await trustedAgent(hosts!, apis.operator, {
    requested_scopes: ['runs:read', 'controls:write'],
  })
  const agent = createClient({ baseUrl: hosts!.base, agent: credential })
  const idempotency_key = 'bind-1'
  const { own } = (await agent.call('enterprise-controls-read', {})).body
  const accountId = String(own?.account_id)
  const text = walletBindingText({
    origin: apis.config.BASE_URL,
    accountId,
    wallet: wallet.address,
  })
  const signature = await wallet.signMessage({ message: text })
  const bind = { mode: 'bind_wallet', wallet: wallet.address, signature, idempotency_key } as const
  await agent.call('enterprise-wallet-bind', bind)
  await agent.call('enterprise-controls-set', {
    controls: { callback_hosts: ['hooks.second.example'] },
    reason: 'one receiver',
    accept_fee: true,
    idempotency_key,
  })
  const before = await current()
  const denied = { status: 403, code: 'control_denied' }
  expect(await (await setting('https://hooks.third.example/in'))()).toMatchObject(denied)
  expect(await current()).toBe(before)
  const allowed = 'https://hooks.second.example/out'
  expect(await (await setting(allowed))()).toMatchObject({ status: 200, url: allowed })
  expect(await (await setting(null))()).toMatchObject({ status: 200, url: null })
  expect(await (await setting(allowed))()).toMatchObject({ status: 200, url: allowed })
})
