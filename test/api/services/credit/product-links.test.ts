import { afterAll, beforeAll, expect } from 'vitest'
import type { MoneyDeps } from '../../../../activities/credit/deps.ts'
import type { SendOutgoing } from '../../../../activities/http/outgoing.ts'
import { createOutgoing } from '../../../../activities/http/outgoing.ts'
import { ProductLinkService } from '../../../../api/services/credit/product-links.ts'
import { grantedCall, startMoney } from '../../../activities/credit/fixture.ts'
import { startTlsServer, testAuthority } from '../../../support/tls-server.ts'
import { verifies } from '../../../verifies.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

verifies('checkout.links', 'a page is live if it answers over TLS without a redirect', async () => {
  const answers = new Map([
    ['/ok', 200],
    ['/moved', 302],
    ['/gone', 404],
    ['/down', 503],
    ['/long', 200],
    ['/long-gone', 404],
  ])
  const server = await startTlsServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    response
      .writeHead(answers.get(path) ?? 500)
      .end(path.startsWith('/long') ? 'x'.repeat(70_000) : 'page')
  })
  const sendOutgoing: SendOutgoing = createOutgoing({
    ownHosts: [],
    exempt: [],
    ca: testAuthority,
    resolve: async () => ['93.184.215.14'],
    reach: () => ({ host: '127.0.0.1', port: server.port }),
  })
  const links = new ProductLinkService({ ...deps, sendOutgoing })
  const set = async (path: string) => {
    const terms = { rail: 'packetops', tier: 'pro', provider_price_usd: 269 } as const
    const operator = { operatorId: 'op_1', name: 'Ada' }
    return links.set({
      callId: await grantedCall(deps, 'payment-links-set'),
      operator,
      url: `https://hooks.receiver.example${path}`,
      ...terms,
    })
  }
  for (const [path, state] of [
    ['/ok', 'live'],
    ['/moved', 'broken'],
    ['/gone', 'broken'],
    ['/down', 'broken'],
    ['/long-gone', 'broken'],
    ['/long', 'live'],
  ] as const) {
    const { cell, check } = await set(path)
    expect({ path, state: cell.state, reachable: check.reachable }).toEqual({
      path,
      state,
      reachable: state === 'live',
    })
  }
  expect(await links.cards({ rail: 'packetops', tier: 'pro' })).toMatchObject([
    { link_state: 'hosted', url: 'https://hooks.receiver.example/long' },
  ])
  await server.stop()
})
