import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { limits } from '#domain/core/limits.ts'
import { deriveTokens } from '../../../activities/keys/derived-tokens.ts'
import { clockSeconds } from '../../../activities/store/postgres/db.ts'
import { HandshakeService } from '../../../api/services/agents/handshake.ts'
import { startDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

verifies(
  'agent.handshake-age',
  'a handshake that is too old is refused before its signature is read',
  async () => {
    const { db } = database
    const key = randomBytes(32)
    const tokens = deriveTokens(
      () => [{ key, since: 0 }],
      async () => undefined,
    )
    const handshakes = new HandshakeService({ db, tokens } as ConstructorParameters<
      typeof HandshakeService
    >[0])
    const now = Math.floor(await clockSeconds(db))
    const shake = (nonceAge: number) =>
      handshakes.assertSigned(
        { agentId: 'agt_1', tokenSha256: 'ab'.repeat(32) },
        { nonce: tokens.nonce(now - nonceAge), signature: 'AAAA', claim_credential: true },
      )
    const life = limits.handshakeNonceSeconds + limits.handshakeRepeatSeconds
    await expect(shake(life + 2)).rejects.toMatchObject({
      refusal: { detail: 'the nonce has expired' },
    })
    await expect(shake(life - 30)).rejects.toMatchObject({
      refusal: { detail: expect.stringContaining('signature') },
    })
  },
)
