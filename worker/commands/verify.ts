import { readFileSync, statSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import type { ChainAnswer } from '#domain/verification/on-chain.ts'
import type { KeySet } from '#domain/verification/signed.ts'
import { type ArtifactKind, artifactKinds, type Verdict } from '#domain/verification/verdict.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import { errorText } from '../error-text.ts'
import { type Output, printError, recordText, show } from '../print.ts'
import { jsonOption } from './by-operator.ts'

type Options = Output & { keys?: string; kind?: ArtifactKind; at?: number; chain?: string }

const BYTES_MAX = 256 * 1024 * 1024
/** How the program ends: a script may act on 0 alone. */
const exitCodes: Record<Verdict['verdict'], number> = { valid: 0, invalid: 1, indeterminate: 3 }

/** `agent-rails verify FILE`: needs neither the network nor a database, unless `--chain` is given. */
export function addVerify(program: Command): void {
  jsonOption(program.command('verify <file>'))
    .description(
      'verify a receipt, bundle, passport, mandate, grant, handoff pack, statement or return package offline; exit 0 only where it is valid, 1 where it is not, 3 where that cannot be decided',
    )
    .option(
      '--keys <file>',
      'a key document that was saved before: /.well-known/jwks.json or service-authority-key.json',
    )
    .addOption(new Option('--kind <kind>', 'what the file has to be').choices(artifactKinds))
    .option('--at <time>', 'the time at which periods are judged, instead of now', readTime)
    .option('--chain <url>', 'the RPC of a chain, which is asked for the transfer of a receipt')
    .action(async (file: string, options: Options) => {
      const verdict = await verify(file, options).catch((error: unknown) => {
        printError(errorText(error))
        process.exitCode = exitCodes.indeterminate
      })
      if (verdict === undefined) return
      show(options, verdict, textOf)
      process.exitCode = exitCodes[verdict.verdict]
    })
}

async function verify(file: string, options: Options): Promise<Verdict> {
  const { openFile } = await import('#domain/verification/file.ts')
  const { settle } = await import('#domain/verification/signature.ts')
  const { unread } = await import('#domain/verification/verdict.ts')
  const keys = options.keys === undefined ? undefined : await readKeys(options.keys)
  const content = await readContent(file)
  if (content === undefined) return unread(null, 'malformed')
  const { kind, at = Date.now() / 1000 } = options
  const verdict = settle(openFile({ content, keys, at, kind }))
  if (options.chain === undefined) return verdict
  const { judgeOnChain } = await import('#domain/verification/on-chain.ts')
  return judgeOnChain(verdict, await askChain(options.chain, verdict))
}

async function readKeys(path: string): Promise<KeySet> {
  const { readKeyDocument } = await import('#domain/verification/key-document.ts')
  const keys = readKeyDocument(readJsonFile(path, z.unknown()))
  if (keys === undefined) throw new Error(`${path}: it is no key document of the service`)
  return keys
}

/** The text of a file, or the parts of a zip; undefined for what is neither. */
async function readContent(path: string) {
  if (statSync(path).size > BYTES_MAX)
    throw new Error(`${path}: it has more than ${BYTES_MAX} bytes`)
  const bytes = readFileSync(path)
  const { isZip, unzipPackage } = await import('../../activities/run/unzip-package.ts')
  if (isZip(bytes)) return unzipPackage(bytes)
  const { textOf: decoded } = await import('#domain/verification/strict-json.ts')
  return decoded(bytes)
}

/** What the chain has under the transaction that was named; undefined where it does not answer. */
async function askChain(url: string, verdict: Verdict): Promise<ChainAnswer | undefined> {
  const { transferNamedBy } = await import('#domain/verification/on-chain.ts')
  const named = transferNamedBy(verdict)
  if (named === undefined) return undefined
  const { createChain } = await import('../../activities/chain/client.ts')
  const { openLedger } = await import('../../activities/chain/ledger.ts')
  const { reader } = createChain({ rpcUrls: [url], confirmRpcUrls: [], timeoutMs: 10_000 })
  try {
    const chainId = await reader.getChainId()
    const ledger = openLedger(reader, named.asset as `0x${string}`)
    return { chainId, found: await ledger.transaction(named.transactionHash) }
  } catch {
    return undefined
  }
}

function readTime(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Date.parse(text) / 1000
  if (Number.isNaN(seconds))
    throw new InvalidArgumentError('a time such as 2026-11-21T12:00:00Z, or Unix seconds')
  return seconds
}

function textOf({ kind, verdict, reasons, checks, key, claims }: Verdict): string {
  const reason = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  const lines = [`${kind ?? 'unknown'}: ${verdict}${reason}`]
  for (const { check, ok, detail } of checks)
    lines.push(`${ok ? 'ok' : 'NO'}  ${check.padEnd(20)} ${detail}`)
  if (key !== null) lines.push(`key ${key.kid}, ${key.standing}`)
  if (claims !== null) lines.push('', recordText(claims))
  return lines.join('\n')
}
