import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { signerOf } from '../../activities/container.ts'

import { decodeCompact } from '../../activities/keys/compact.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { currentAnchors, readKeyStatus } from '../../activities/keys/key-status.ts'
import { loadTokenKeys } from '../../activities/keys/token-keys.ts'
import { loadTrustAnchors } from '../../activities/keys/trust-anchors.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { runCli } from '../support/cli.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { rotateKeysFile } from '../support/rotated-keys.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
})
afterAll(() => apis?.stop())

const file = () => apis.config.SIGNING_KEYS_FILE
const answer = async (process: number, ...args: string[]) => {
  const credential = ['--operator', apis.operator]
  const { code, out, text } = await runCli(
    { ...apis.env, BASE_URL: apis.hosts[process]!.base },
    ...args,
    ...credential,
    '--json',
  )
  if (code !== 0) throw new Error(text)
  return JSON.parse(out)
}
const rotate = () => {
  rotateKeysFile(file())
  return answer(0, 'keys', 'publish', '--reason', 'spring')
}
const retire = (kid: string) => answer(0, 'keys', 'retire', kid, '--reason', 'replaced')

verifies(
  'keys.no-restart',
  'another API process takes up a new key without a restart',
  async () => {
    const old = loadKeyRings(file())
    const [receipt, authority] = [old.receipt.active.kid, old.authority.active.kid]
    expect((await answer(1, 'operator', 'list')).receipt.key_id).toBe(receipt)
    await rotate()
    for (const kid of [receipt, authority]) await retire(kid)
    const { key_id, jws } = (await answer(1, 'operator', 'list')).receipt
    expect(key_id).toBe(loadKeyRings(file()).receipt.active.kid)
    expect(key_id).not.toBe(receipt)
    const contract = await (await fetch(`${apis.hosts[1]!.base}/api/trust-contract`)).json()
    expect(JSON.stringify(contract)).toContain(key_id)
    const verdict = await fetch(`${apis.hosts[0]!.base}/api/verify-receipt?receipt=${jws}`)
    expect(await verdict.json()).toMatchObject({ verified: true })
  },
)

verifies(
  'keys.no-restart',
  'a process refuses until its key file is whole, then uses the keys',
  async () => {
    const own = `${file()}.copy`
    copyFileSync(file(), own)
    const rings = loadKeyRings(own)
    const tokensFile = apis.config.TOKEN_KEYS_FILE
    const tokenKeys = loadTokenKeys(tokensFile)
    const anchors = loadTrustAnchors({
      authority: rings.authority,
      issuer: 'https://svc.example',
      path: '',
    })
    const before = rings.receipt.active.kid
    const sign = () =>
      transaction(apis.db, async (tx) => {
        const sign = await signerOf(rings, 'statement+jwt')(tx)
        const { jws } = await sign({ kind: 'test' })
        return decodeCompact(jws).header['kid']
      })
    expect(await sign()).toBe(before)
    await rotate()
    // Its own file has the old key alone, which still stands.
    expect(await sign()).toBe(before)
    await retire(before)
    await expect(sign()).rejects.toMatchObject({ refusal: { code: 'unavailable' } })

    const whole = readFileSync(file(), 'utf8')
    writeFileSync(own, whole.slice(0, whole.length / 2))
    await expect(sign()).rejects.toMatchObject({ refusal: { code: 'unavailable' } })
    writeFileSync(own, whole)
    const after = loadKeyRings(file())
    expect(await sign()).toBe(after.receipt.active.kid)
    const keyStatus = await readKeyStatus(apis.db, rings, ['authority'])
    const trusted = currentAnchors(anchors, 'https://svc.example', keyStatus).map(({ kid }) => kid)
    expect(trusted).toContain(after.authority.active.kid)
    const [old] = tokenKeys()
    expect((await runCli(apis.env, 'keys', 'rotate-tokens', tokensFile)).code).toBe(0)
    expect(tokenKeys()).toEqual([old, { key: expect.any(Buffer), since: expect.any(Number) }])
    writeFileSync(tokensFile, readFileSync(tokensFile, 'utf8').slice(0, 60))
    expect(tokenKeys()).toHaveLength(2)
  },
)
