import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadTrustAnchors } from '../../../activities/keys/trust-anchors.ts'
import { keys, origin } from './treasury.ts'

const directory = mkdtempSync(join(tmpdir(), 'anchors-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const { kid, publicJwk } = keys.authority.active

function loading(anchors: object[]) {
  const path = join(directory, 'anchors.json')
  writeFileSync(path, JSON.stringify({ anchors }))
  return () => loadTrustAnchors({ authority: keys.authority, issuer: origin, path })
}

describe('trust anchors', () => {
  test('without a file are our own authority keys', () => {
    expect(loadTrustAnchors({ authority: keys.authority, issuer: origin, path: '' })).toEqual([
      { iss: origin, kid, alg: 'EdDSA', publicJwk },
    ])
  })

  const other = { iss: 'https://issuer.example', kid: 'k1', alg: 'EdDSA', public_jwk: publicJwk }

  test('with a file are ours and its own', () => {
    expect(loading([other])().map(({ iss }) => iss)).toEqual([origin, 'https://issuer.example'])
  })

  test('refuse our own keys, private keys and unknown or wrong algorithms', () => {
    expect(loading([{ ...other, iss: origin, kid }])).toThrow('stand twice')
    expect(loading([{ ...other, public_jwk: { ...publicJwk, d: 'secret' } }])).toThrow()
    expect(loading([{ ...other, alg: 'HS256' }])).toThrow()
    expect(loading([{ ...other, alg: 'ES256' }])).toThrow('not one for ES256')
  })
})
