import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageTexts } from '#domain/runs/package-files.ts'
import { runCli } from '../support/cli.ts'
import {
  completion,
  goodObject,
  goodToken,
  packageMade,
  packageView,
} from '../vectors/artifacts.ts'
import { goodBundle } from '../vectors/bundles.ts'
import { isoTime, keySets, logSets, signedAt } from '../vectors/keys.ts'
import { verifies } from '../verifies.ts'

let scratch: string
let keys: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-verify-'))
  keys = save('keys.json', JSON.stringify(logSets.with_log))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function save(name: string, content: string | Uint8Array): string {
  const path = join(scratch, name)
  writeFileSync(path, content)
  return path
}

/** Runs the program with an environment in which nothing but itself can be found. */
const verify = (...args: string[]) => runCli({}, 'verify', ...args)

verifies('verify.cli', 'each kind is verified offline, zips and answers too', async () => {
  const texts = Object.entries(packageTexts(packageMade, completion))
  const zip = zipSync(Object.fromEntries(texts.map(([name, text]) => [name, strToU8(text)])))
  const files = {
    receipt: save('receipt.jws', `${goodToken('receipt')}\n`),
    statement: save('statement.json', JSON.stringify({ jws: goodToken('statement') })),
    mandate: save('mandate.json', JSON.stringify({ signed_mandate: goodObject('mandate') })),
    return_package: save('package.zip', zip),
    passport: save('passport.json', JSON.stringify({ passport: goodToken('passport') })),
    handoff_pack: save('pack.jws', goodToken('handoff_pack')),
    action_grant: save('grant.json', JSON.stringify(goodObject('action_grant'))),
    delegated_action: save(
      'action.json',
      JSON.stringify({ delegated_action: { signed_action: goodObject('delegated_action') } }),
    ),
    receipt_bundle: save('bundle.json', JSON.stringify({ receipt_id: 'rc_1', ...goodBundle })),
  }
  const at = ['--at', isoTime(signedAt), '--json']
  const ran = await Promise.all(
    Object.values(files).map((file) => verify(file, '--keys', keys, ...at)),
  )
  for (const [index, kind] of Object.keys(files).entries()) {
    expect(JSON.parse(ran[index]!.out)).toMatchObject({ kind, verdict: 'valid', reasons: [] })
    expect(ran[index]!.code).toBe(kind === 'receipt' ? 3 : 0)
  }
  const view = save('package.json', JSON.stringify({ return_package: packageView }))
  const shown = await verify(view, '--keys', keys)
  expect(shown.out).toMatch(/^return_package: valid\n/)
  expect(shown.out).toMatch(/\nkey receipt-test-1, active\n/)
  expect(shown.out).toMatch(/^ok {2}result\.json +[0-9a-f]{64}$/m)
})

verifies(
  'package.report.verified',
  'a zip with a forged report, README or table exits 1',
  async () => {
    const texts = packageTexts(packageMade, completion)
    for (const name of ['report.html', 'README.md', 'tables/summary.csv']) {
      const files = Object.entries({ ...texts, [name]: 'All is well.' })
      const zip = zipSync(Object.fromEntries(files.map(([file, text]) => [file, strToU8(text)])))
      const ran = await verify(save('forged.zip', zip), '--keys', keys)
      expect(ran.code).toBe(1)
      expect(ran.text).toContain('return_package: invalid (file_changed)')
      expect(ran.text).toMatch(
        new RegExp(`^NO {2}${name.replaceAll('.', '\\.')} +it was changed$`, 'm'),
      )
    }
  },
)

verifies('verify.cli', 'it exits 1 for invalid and 3 for undecided, with reasons', async () => {
  const receipt = goodToken('receipt')
  const good = save('good.jws', receipt)
  const revoked = save('revoked.json', JSON.stringify(keySets.revoked_later))
  const cases: [args: string[], code: number, text: string][] = [
    [[save('bad.jws', receipt.replace(/.{4}$/, 'AAAA')), '--keys', keys], 1, 'signature_invalid'],
    [
      [save('pack.jws', goodToken('handoff_pack')), '--keys', keys],
      1,
      'handoff_pack: invalid (expired)',
    ],
    [[good, '--keys', keys, '--kind', 'passport'], 1, 'wrong_type'],
    [[save('noise', Uint8Array.of(255, 0, 1)), '--keys', keys], 1, 'malformed'],
    [[save('noise.zip', 'PK and no zip'), '--keys', keys], 1, 'malformed'],
    [[save('prose.txt', 'prose'), '--keys', keys], 3, 'unknown_kind'],
    [[good, '--keys', revoked], 3, 'receipt: indeterminate (key_revoked)'],
    [[good, '--keys', keys], 3, 'receipt: valid'],
    [[good, '--keys', keys, '--log', 'http://127.0.0.1:9'], 3, 'the log does not answer'],
    [[good], 3, 'keys_missing'],
    [[good, '--keys', save('no-keys.json', '{}')], 3, 'no key document'],
    [[join(scratch, 'nowhere.jws'), '--keys', keys], 3, 'nowhere.jws'],
    [[good, '--keys', keys, '--chain', 'http://127.0.0.1:9'], 3, 'chain_unavailable'],
  ]
  for (const [args, code, text] of cases) {
    const ran = await verify(...args)
    expect({ args, code: ran.code }).toEqual({ args, code })
    expect(ran.text).toContain(text)
  }
})
