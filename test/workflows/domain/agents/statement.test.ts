import fc from 'fast-check'
import { expect } from 'vitest'
import { keyRotationText } from '#domain/agents/signature.ts'
import { agentKeyId, agentOfKeyId, keyStateAt } from '#domain/agents/statement.ts'
import { verifies } from '../../../verifies.ts'

const agentId = `agt_${'a1'.repeat(32)}`

verifies(
  'agent.statement.key-state',
  'a key is good from activation to retirement, never once revoked',
  () => {
    const life = { notBefore: 1_000.7, retireAt: 2_000.2, revokedAt: null }
    expect([999, 1_000, 2_000, 2_001].map((at) => keyStateAt(life, at))).toEqual([
      'pending',
      'active',
      'active',
      'retired',
    ])
    expect(keyStateAt({ ...life, retireAt: null }, 9_999)).toBe('active')
    expect(keyStateAt({ ...life, notBefore: null }, 1_500)).toBe('pending')
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (revokedAt, at) => {
        expect(keyStateAt({ ...life, revokedAt }, at)).toBe('revoked')
      }),
    )
  },
)

verifies(
  'agent.statement.key-state',
  'an agent’s key id names agent and version, unlike our own keys',
  () => {
    expect(agentKeyId(agentId, 12)).toBe(`${agentId}#12`)
    expect(agentOfKeyId(`${agentId}#12`)).toBe(agentId)
    for (const other of [
      'agent-statement-2026-11-21-a',
      `${agentId}#0`,
      `${agentId}#`,
      agentId,
      `${agentId}#1 `,
    ])
      expect(agentOfKeyId(other), other).toBeUndefined()
  },
)

verifies('agent.signing.rotated', 'the text of a rotation names the agent and both keys', () => {
  expect(keyRotationText(agentId, 'b'.repeat(64), 'c'.repeat(64))).toBe(
    `service-agent-key-rotation-v1\nagent-id: ${agentId}\nold-key-sha256: ${'b'.repeat(64)}\nnext-key-sha256: ${'c'.repeat(64)}`,
  )
})
