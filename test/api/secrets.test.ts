import { afterAll, beforeAll, expect } from 'vitest'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import type { Hosts } from '../support/registering-agent.ts'
import {
  faultOf,
  ofToken,
  placesBut,
  sendersOf,
  sendingAgent,
  sent,
  tablesWith,
} from '../support/secrets.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
})
afterAll(() => apis?.stop())

/** These get every kind in each text; the other operations get one for each text, in turn. */
const everyKind = ['payout-create', 'payout-authorize', 'handoff-build']

verifies(
  'pipeline.forbidden-material',
  'each free text refuses secrets, and stores and logs none',
  async () => {
    const [hosts] = apis.hosts as [Hosts]
    const { operator } = apis
    const sender = await sendingAgent(hosts, operator)
    const senderFor = sendersOf({ hosts, operator, origin: apis.config.BASE_URL, sender })
    const places = placesBut(Object.keys(ofToken))
    expect(places.length).toBeGreaterThan(60)
    const wrong: unknown[] = []
    for (const [index, place] of places.entries()) {
      const { id } = place.operation
      const each = [place.secrets[index % place.secrets.length] as string]
      for (const secret of everyKind.includes(id) ? place.secrets : each)
        wrong.push(await faultOf(senderFor(place.operation), place, secret))
    }
    expect(wrong.filter((fault) => fault !== undefined)).toEqual([])
    const markers = sent.map(([, marker]) => marker)
    expect(await tablesWith(apis.db, markers)).toEqual([])
    for (const marker of markers) expect(apis.logged()).not.toContain(marker)
    // The same search finds what is stored.
    expect(await tablesWith(apis.db, ['Ledger reader'])).toContain('agents')
  },
)
