import { expect } from 'vitest'
import {
  agentSignatureText,
  decodeAgentSignature,
  encodeAgentSignature,
  handshakeText,
  isFresh,
} from '#domain/agents/signature.ts'
import { verifies } from '../../../verifies.ts'

verifies('agent.signature.text', 'the texts to sign are these lines', () => {
  const terms = {
    origin: 'https://os.example',
    method: 'POST',
    path: '/api/x',
    bodySha256: 'b'.repeat(64),
    tokenSha256: 'c'.repeat(64),
    issuedAt: 17,
  }
  const lines = (token: string) =>
    `service-agent-signature-v1\norigin: https://os.example\nmethod: POST\npath: /api/x\nbody-sha256: ${'b'.repeat(64)}\ntoken-sha256: ${token}\nissued-at: 17`
  expect(agentSignatureText(terms)).toBe(lines('c'.repeat(64)))
  expect(agentSignatureText({ ...terms, tokenSha256: undefined })).toBe(lines('none'))
  expect(handshakeText('n', 'd'.repeat(64))).toBe(
    `service-agent-handshake-v1\nnonce: n\ntoken-sha256: ${'d'.repeat(64)}`,
  )
})

verifies(
  'agent.signature.text',
  'the header holds a time and 64 bytes, and nothing else is one',
  () => {
    const signature = 'Ab-_'.repeat(22).slice(0, 86)
    expect(decodeAgentSignature(encodeAgentSignature(1_800_000_000, signature))).toEqual({
      issuedAt: 1_800_000_000,
      signature,
    })
    for (const bad of [
      '',
      `t=0,s=${signature}`,
      `t=1,s=${signature}x`,
      `s=${signature},t=1`,
      `t=1, s=${signature}`,
      `t=1,s=${signature},k=2`,
    ])
      expect(decodeAgentSignature(bad), bad).toBeUndefined()
  },
)

verifies(
  'agent.signature.text',
  'a signature counts from 30 s ahead to 300 s after its time',
  () => {
    const fresh = (age: number) => isFresh(1_000, 1_000 + age)
    expect([-31, -30, 0, 300, 301].map(fresh)).toEqual([false, true, true, true, false])
  },
)
