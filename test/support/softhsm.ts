import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSecret } from '../../activities/config/secret-file.ts'

const library = process.env['SOFTHSM2_MODULE'] ?? '/usr/lib/softhsm/libsofthsm2.so'

/** Why no token can be made; undefined if one can. */
export const noSoftHsm = whatIsMissing()

function whatIsMissing(): string | undefined {
  if (!existsSync(library))
    return `there is no SoftHSM at ${library}: apt-get install softhsm2, or set SOFTHSM2_MODULE`
  try {
    createRequire(import.meta.url)('pkcs11js')
    return undefined
  } catch {
    return 'npm could not compile pkcs11js: install g++, make and python3, and run npm ci again'
  }
}

const LABEL = 'agent-rails test'
const PIN = '4711'

/** A token of SoftHSM in a directory of its own. SoftHSM finds it by the environment of the process, so a process has one. */
export type SoftHsm = {
  /** The settings of a signer, and the environment in which it finds the token. */
  env: Record<string, string>
  /** Puts a private key into the token, as an operator does, which never leaves it again. */
  add(reference: { label: string; id: string }, key: KeyObject): void
  /** Takes the token away until the result is called. */
  takeOut(): () => void
  remove(): void
}

export function makeToken(): SoftHsm {
  const directory = mkdtempSync(join(tmpdir(), 'agent-rails-softhsm-'))
  const [tokens, conf, pin] = ['tokens', 'softhsm2.conf', 'pin.json'].map((name) =>
    join(directory, name),
  ) as [string, string, string]
  mkdirSync(tokens)
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`)
  writeSecret(pin, PIN)
  process.env['SOFTHSM2_CONF'] = conf
  const run = (...args: string[]) =>
    execFileSync('softhsm2-util', [...args, '--pin', PIN], { stdio: 'ignore' })
  run('--init-token', '--free', '--label', LABEL, '--so-pin', '0815')
  const away = join(directory, 'away')
  return {
    env: {
      SOFTHSM2_CONF: conf,
      PKCS11_MODULE: library,
      PKCS11_TOKEN: LABEL,
      PKCS11_PIN_FILE: pin,
    },
    add: ({ label, id }, key) => {
      const pem = join(directory, 'key.pem')
      writeFileSync(pem, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
      run('--import', pem, '--token', LABEL, '--label', label, '--id', id)
      rmSync(pem)
    },
    takeOut: () => {
      renameSync(tokens, away)
      mkdirSync(tokens)
      return () => {
        rmSync(tokens, { recursive: true })
        renameSync(away, tokens)
      }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
