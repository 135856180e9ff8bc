import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { packageRoot } from '../../activities/config/package-root.ts'

type Solc = {
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string
}
type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
}

const require = createRequire(import.meta.url)
const SOURCE = join(packageRoot, 'worker/stack/dollar-token.sol')

/** The deployment bytecode of dollar-token.sol; compiled with solc once (about 3 s) and kept in `cacheDirectory` under the digest of its inputs. */
export function compileDollarToken(cacheDirectory: string): Hex {
  const source = readFileSync(SOURCE, 'utf8')
  const digest = createHash('sha256')
    .update(source)
    .update(compilerVersions())
    .digest('hex')
    .slice(0, 16)
  const file = join(cacheDirectory, `dollar-token-${digest}.hex`)
  const cached = readCached(file)
  if (cached !== undefined) return cached
  const bytecode = compile(source)
  mkdirSync(cacheDirectory, { recursive: true })
  writeFileSync(`${file}.${process.pid}`, bytecode)
  renameSync(`${file}.${process.pid}`, file)
  return bytecode
}

/** From the pins, since an image that carries the compiled token does not carry its compiler. */
function compilerVersions(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return `solc ${devDependencies.solc}, contracts ${devDependencies['@openzeppelin/contracts']}`
}

function readCached(file: string): Hex | undefined {
  try {
    return readFileSync(file, 'utf8') as Hex
  } catch {
    return undefined
  }
}

function compile(source: string): Hex {
  const solc: Solc = require('solc')
  const input = {
    language: 'Solidity',
    sources: { 'dollar-token.sol': { content: source } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { DollarToken: ['evm.bytecode.object'] } },
    },
  }
  const readImport = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error')
  const object = output.contracts?.['dollar-token.sol']?.['DollarToken']?.evm.bytecode.object
  if (failures.length > 0 || object === undefined) {
    throw new Error(
      `dollar-token.sol does not compile:\n${failures.map((error) => error.formattedMessage).join('\n')}`,
    )
  }
  return `0x${object}`
}
