import { type Command, InvalidArgumentError, Option } from 'commander'
import type { LoggedVerdict } from '#domain/verification/log-state.ts'
import type { ChainAnswer } from '#domain/verification/on-chain.ts'
import { type ArtifactKind, artifactKinds, type Verdict } from '#domain/verification/verdict.ts'
import { errorText } from '../error-text.ts'
import { type Output, printError, recordText, show } from '../print.ts'
import { readContent, readKeys } from '../signed-files.ts'
import { jsonOption } from './by-operator.ts'

type Options = Output & {
  keys?: string
  kind?: ArtifactKind
  at?: number
  chain?: string
  log?: string
}

const UNDECIDED = 3
const NOT_READY = 409

/** `agent-rails verify FILE`: needs neither the network nor a database, unless `--chain` or `--log` is given. */
export function addVerify(program: Command): void {
  jsonOption(program.command('verify <file>'))
    .description(
      'verify a receipt, bundle, passport, mandate, grant, handoff pack, statement, return package, attestation, replay package or audit pack offline; exit 0 only where it is valid and a receipt is in the log, 1 where that is not so, 3 where it cannot be decided',
    )
    .option(
      '--keys <file>',
      'a key document that was saved before: /.well-known/jwks.json or service-authority-key.json',
    )
    .addOption(new Option('--kind <kind>', 'what the file has to be').choices(artifactKinds))
    .option('--at <time>', 'the time at which periods are judged, instead of now', readTime)
    .option('--log <url>', 'the service, which is asked for the place of a receipt in its log')
    .option('--chain <url>', 'the RPC of a chain, which is asked for the transfer of a receipt')
    .action(async (file: string, options: Options) => {
      const verdict = await verify(file, options).catch((error: unknown) => {
        printError(errorText(error))
        process.exitCode = UNDECIDED
      })
      if (verdict === undefined) return
      show(options, verdict, textOf)
      const { exitCodeOf } = await import('#domain/verification/log-state.ts')
      process.exitCode = exitCodeOf(verdict)
    })
}

async function verify(file: string, options: Options): Promise<LoggedVerdict> {
  const { openFile, receiptIn } = await import('#domain/verification/file.ts')
  const { settle } = await import('#domain/verification/signed.ts')
  const { unread } = await import('#domain/verification/verdict.ts')
  const { withLogAnswer, withLogState } = await import('#domain/verification/log-state.ts')
  const keys = options.keys === undefined ? undefined : await readKeys(options.keys)
  const content = await readContent(file)
  if (content === undefined) return withLogState(unread(null, 'malformed'))
  const { kind, at = Date.now() / 1000 } = options
  const settled = settle(openFile({ content, keys, at, kind }))
  const verdict =
    options.chain === undefined ? settled : await judgedOnChain(options.chain, settled)
  const jws = receiptIn(content)
  const known = withLogState(verdict)
  if (options.log === undefined || jws === undefined || keys === undefined) return known
  if (known.log_state !== 'not_checked') return known
  const answer = await askLog(options.log, jws)
  if (typeof answer === 'string') return withLogAnswer(verdict, answer)
  const opened = openFile({ content: answer.bundle, keys, at, kind: 'receipt_bundle' })
  return withLogAnswer(verdict, settle(opened))
}

async function judgedOnChain(url: string, verdict: Verdict): Promise<Verdict> {
  const { judgeOnChain } = await import('#domain/verification/on-chain.ts')
  return judgeOnChain(verdict, await askChain(url, verdict))
}

/** The bundle of exactly this receipt, not verified; or why there is none. */
async function askLog(
  url: string,
  jws: string,
): Promise<{ bundle: string } | 'absent' | 'pending' | 'unavailable'> {
  const { AnswerRefused, readPublic } = await import('../witness/log-reader.ts')
  const { receiptId } = await import('#domain/core/ids.ts')
  const { objectOf, textOf: decoded } = await import('#domain/core/strict-json.ts')
  const path = `/api/receipts/${receiptId(jws)}/bundle`
  try {
    const bytes = await readPublic(`${url.replace(/\/+$/, '')}${path}`)
    const bundle = bytes && decoded(bytes)
    if (bundle === undefined || objectOf(bundle)?.['receipt'] !== jws) return 'absent'
    return { bundle }
  } catch (error) {
    return error instanceof AnswerRefused && error.status === NOT_READY ? 'pending' : 'unavailable'
  }
}

/** What the chain has under the transaction that was named; undefined where it does not answer. */
async function askChain(url: string, verdict: Verdict): Promise<ChainAnswer | undefined> {
  const { transferNamedBy } = await import('#domain/verification/on-chain.ts')
  const named = transferNamedBy(verdict)
  if (named === undefined) return undefined
  const { createChain } = await import('../../activities/chain/client.ts')
  const { openLedger } = await import('../../activities/chain/ledger.ts')
  const [view] = createChain({ rpcUrls: [url], confirmRpcUrls: [], timeoutMs: 10_000 }).views
  try {
    const chainId = await view.reader.getChainId()
    const ledger = openLedger(view, named.asset as `0x${string}`)
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

function textOf({ kind, verdict, reasons, checks, key, claims, log_state }: LoggedVerdict): string {
  const reason = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  const lines = [`${kind ?? 'unknown'}: ${verdict}${reason}`]
  for (const { check, ok, detail } of checks)
    lines.push(`${ok ? 'ok' : 'NO'}  ${check.padEnd(20)} ${detail}`)
  if (log_state !== null) lines.push(`log ${log_state}`)
  if (key !== null) lines.push(`key ${key.kid}, ${key.standing}`)
  if (claims !== null) lines.push('', recordText(claims))
  return lines.join('\n')
}
