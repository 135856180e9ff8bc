import { readFileSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { PayoutOutcome } from '../../clients/typescript/src/payouts.ts'
import { type Output, show, tableText } from '../print.ts'
import { jsonOption } from './by-operator.ts'

type Options = Output & { keyFile?: string; agent?: string; url?: string; maxFee: string }
/** Whose wallet calls, and the service that it calls. */
type Caller = { account: PrivateKeyAccount; baseUrl: string }

const BYTES_MAX = 256 * 1024 * 1024
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
    .action(async (file: string, options: Options) => {
      const { readPayoutBodies, submitPayouts } = await import(
        '../../clients/typescript/src/payouts.ts'
      )
      const bodies = readPayoutBodies(await readBodies(file))
      const client = await openClient(await callerOf(options), options.maxFee)
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

async function readBodies(path: string): Promise<string> {
  if (statSync(path).size > BYTES_MAX)
    throw new Error(`${path}: it has more than ${BYTES_MAX} bytes`)
  const bytes = readFileSync(path)
  const { isZip, unzipPackage } = await import('../../activities/run/unzip-package.ts')
  if (!isZip(bytes)) return bytes.toString('utf8')
  const text = unzipPackage(bytes)?.files[BODIES_FILE]
  if (text === undefined) throw new Error(`${path}: it is no package with ${BODIES_FILE}`)
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

/** A client that proves each call by the wallet and pays its fee with x402, in the token that the service names. */
async function openClient({ account, baseUrl }: Caller, maxFee: string) {
  const { createClient } = await import('../../clients/typescript/src/client.ts')
  const { payingFetch } = await import('../../clients/typescript/src/pay.ts')
  const { parseUsdc } = await import('#domain/core/money.ts')
  const { body } = await createClient({ baseUrl, osUrl: baseUrl }).call('trust-contract', {})
  const { asset } = body.payout as { asset: string }
  const paying = payingFetch(account, { asset, maxPerCall: parseUsdc(maxFee) })
  return createClient({
    baseUrl,
    osUrl: baseUrl,
    wallet: account,
    fetch: (input, init) => paying(input, init),
  })
}
