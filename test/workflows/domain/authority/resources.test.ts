import { expect } from 'vitest'
import { resourcesOf } from '#domain/authority/resources.ts'
import { verifies } from '../../../verifies.ts'

verifies(['authority.rules', 'ap2.delegated'], 'each wallet that may pay is a resource', () => {
  expect(resourcesOf({ wallet_id: 'aw_1', note: 'aw_2' })).toEqual(['aw_1'])
  const allowance = { method: 'agent_allowance', external_reference: 'run', payer: 'aw_1' }
  expect(resourcesOf(allowance)).toEqual(['run', 'aw_1'])
  const mandate = { method: 'ap2_mandate_reference', evidence: { presentation: 'a~~b~' } }
  expect(resourcesOf(mandate)).toEqual(['ap2_mandate'])
  expect(resourcesOf({ ...mandate, evidence: { url: 'https://x.example' } })).toEqual([])
})
