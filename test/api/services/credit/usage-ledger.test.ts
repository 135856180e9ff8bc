import { afterAll, beforeAll, expect } from 'vitest'
import type { MoneyDeps } from '../../../../activities/credit/deps.ts'
import { UsageLedger } from '../../../../api/services/credit/usage-ledger.ts'
import { Samples } from '../../../../api/services/receipts/sample.ts'
import { funded, grantedCall, startMoney } from '../../../activities/credit/fixture.ts'
import { keys } from '../../../activities/keys/treasury.ts'
import { listUsageEvents } from '../../../support/usage-chain.ts'
import { verifies } from '../../../verifies.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

verifies(
  ['usage.record', 'usage.credit'],
  'a call that is carried out twice records and consumes once',
  async () => {
    const usage = new UsageLedger({ ...deps, samples: new Samples({ ...deps, keys }) })
    const { entitlement, agentId } = await funded(deps)
    const { entitlement_id } = entitlement
    for (const unit of ['calls', 'usd_credit']) {
      const use = {
        agentId,
        rails: [entitlement.rail],
        kind: 'tool_call' as const,
        units: 5,
        unit,
        entitlement_id,
      }
      const callId = await grantedCall(deps, 'usage-ledger-record')
      const [first, again] = await Promise.all([
        usage.record({ callId, ...use }),
        usage.record({ callId, ...use }),
      ])
      expect(again).toEqual(first)
    }
    const chain = await listUsageEvents(deps.db, entitlement_id)
    expect(chain.map(({ unit, units, credit_units }) => [unit, units, credit_units])).toEqual([
      ['calls', 5, 0],
      ['usd_credit', 5, 5],
    ])
  },
)
