import { type Command, Option } from 'commander'
import type { PrivateKeyAccount } from 'viem/accounts'
import { USDC } from '#domain/core/limits.ts'
import type { PayoutOutcome } from '../../clients/typescript/src/payouts.ts'
import { type Output, show, tableText } from '../print.ts'
import { fetchKeys, readContent, readKeys } from '../signed-files.ts'
import { jsonOption } from './by-operator.ts'

type Options = Output & {
  keyFile?: string
  agent?: string
  url?: string
  asset?: string
  keys?: string
  maxFee: string
  maxFees: string
}
/** Whose wallet calls, and the service that it calls. */
type Caller = { account: PrivateKeyAccount; baseUrl: string }

/** The file of a return package that holds the bodies. */
const BODIES_FILE = 'payouts/payout-create.jsonl'
const PENDING = 3

/** `agent-rails payouts …`: payouts of many recipients by the caller's own wallet. */
export function addPayouts(program: Command): void {
  const payouts = program.command('payouts').description('payouts by your own wallet')
  jsonOption(payouts.command('submit <file>'))
    .description(
      'create the payouts of a file: a return package (zip), or its payouts/payout-create.jsonl. Submitted again by the same wallet, nothing is created or paid twice; exit 0 where all are created, 1 where one is refused, 3 where one is pending',
    )
    .option('--key-file <path>', 'a file with the private key of your wallet, 0x and 64 hex digits')
    .addOption(
      new Option('--agent <number>', 'an account of the local chain instead').conflicts('keyFile'),
    )
    .option('--url <url>', 'the service, by default that of BASE_URL')
    .option('--max-fee <usdc>', 'the most that one call may cost', '0.1')
    .option('--max-fees <usdc>', 'the most that all calls may cost together', '10')
    .option(
      '--asset <address>',
      'the token to pay in, instead of USDC; --agent pays in that of the local chain',
    )
    .option(
      '--keys <file>',
      'a key document that was saved before, to verify a package; without it, by the keys that the service publishes',
    )
    .action(async (file: string, options: Options) => {
      const { readPayoutBodies, submitPayouts } = await import(
        '../../clients/typescript/src/payouts.ts'
      )
      const caller = await callerOf(options)
      const from = { keys: options.keys, url: caller.baseUrl }
      const bodies = readPayoutBodies(await readBodies(file, from))
      const client = await openClient(caller, options)
      const outcomes = await submitPayouts(client, bodies)
      show(options, outcomes.map(lineOf), (lines) => tableText(lines, 'the file has no payouts'))
      process.exitCode = exitCodeOf(outcomes)
    })
}

const exitCodeOf = (outcomes: readonly PayoutOutcome[]): number => {
  if (outcomes.some(({ outcome }) => outcome === 'refused')) return 1
  return outcomes.some(({ outcome }) => outcome === 'pending') ? PENDING : 0
}

const lineOf = ({ body, outcome, payout_id, repeated, code, detail }: PayoutOutcome) => ({
  memo: body.memo,
  recipient: body.recipient,
  amount_usdc: body.amount_usdc,
  outcome,
  repeated: repeated ? 'yes' : 'no',
  payout_id,
  code,
  detail,
})

/** The bodies of a file; those of a package where its signature and all its files are verified. */
async function readBodies(path: string, { keys, url }: { keys: string | undefined; url: string }) {
  const content = await readContent(path)
  if (typeof content === 'string') return content
  const text = content?.files[BODIES_FILE]
  if (content === undefined || text === undefined)
    throw new Error(`${path}: it is no package with ${BODIES_FILE}`)
  const { openFile } = await import('#domain/verification/file.ts')
  const { settle } = await import('#domain/verification/signed.ts')
  const { verdict, reasons } = settle(
    openFile({
      content,
      keys: keys === undefined ? await fetchKeys(url) : await readKeys(keys),
      at: Date.now() / 1000,
      kind: 'return_package',
    }),
  )
  if (verdict !== 'valid') throw new Error(`${path}: it is ${verdict}: ${reasons.join(', ')}`)
  return text
}

async function callerOf({ keyFile, agent, url }: Options): Promise<Caller> {
  if (keyFile !== undefined) {
    const { readWalletKey } = await import('../wallet-proof.ts')
    return { account: readWalletKey(keyFile), baseUrl: url ?? (await serviceUrl()) }
  }
  if (agent === undefined) throw new Error('--key-file or --agent says whose wallet pays')
  const { localAgent } = await import('../wallet-proof.ts')
  const { wallet, baseUrl } = localAgent(Number(agent))
  return { account: wallet, baseUrl: url ?? baseUrl }
}

const serviceUrl = async (): Promise<string> =>
  (await import('../settings.ts')).loadSettings().BASE_URL

/** A client that proves each call by the wallet and pays its fee with x402; on the local chain in whatever token the service names. */
async function openClient({ account, baseUrl }: Caller, options: Options) {
  const { createClient } = await import('../../clients/typescript/src/client.ts')
  const { payingFetch } = await import('../../clients/typescript/src/pay.ts')
  const { parseUsdc } = await import('#domain/core/money.ts')
  const { body } = await createClient({ baseUrl, osUrl: baseUrl }).call('trust-contract', {})
  const named = (body.payout as { asset: string }).asset
  const asset = options.asset ?? (options.keyFile === undefined ? named : USDC)
  if (named.toLowerCase() !== asset.toLowerCase())
    throw new Error(`the service is paid in ${named}, not in ${asset}: --asset names the token`)
  const paying = payingFetch(account, {
    asset,
    maxPerCall: parseUsdc(options.maxFee),
    maxInAll: parseUsdc(options.maxFees),
  })
  return createClient({
    baseUrl,
    osUrl: baseUrl,
    wallet: account,
    fetch: (input, init) => paying(input, init),
  })
}
