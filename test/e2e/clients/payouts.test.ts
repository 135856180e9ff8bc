import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { afterAll, beforeAll, expect } from 'vitest'
import { formatUsdc } from '#domain/core/money.ts'
import { createClient } from '../../../clients/typescript/src/index.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { runCli } from '../../support/cli.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { unzipped } from '../../support/unzipped.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack()
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

type Line = {
  memo: string
  amount_usdc: string
  outcome: string
  repeated: string
  payout_id: string | null
  code: string | null
}
const FEE = 100_000n
const PAID = 12
/** Twelve that are paid, and three that are not: over the cap, a wrong checksum and no wallet. */
const recipients = [
  ...Array.from({ length: PAID }, (_, at) => ({
    id: `r${String(at).padStart(2, '0')}`,
    amount_minor: 1_000_000 + 333_333 * at,
    wallet: newWallet().address,
  })),
  { id: 'over', amount_minor: 25_000_001, wallet: newWallet().address },
  { id: 'typo', amount_minor: 1, wallet: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  { id: 'unknown', amount_minor: 1 },
]
const pool = recipients.reduce((sum, { amount_minor }) => sum + amount_minor, 0)

/** The zip of a run of the sandbox on these recipients. */
async function packageOf(): Promise<{ zip: Uint8Array; run_id: string }> {
  const client = createClient({ baseUrl: stack.baseUrls[0]!, osUrl: stack.osUrls[0]! })
  const { run, status_token } = (
    await client.call('agent-sandbox-run', {
      rail: 'distributionops',
      input: { pool: { amount_minor: pool, currency: 'USDC' }, recipients },
      idempotency_key: 'distribution-1',
    })
  ).body
  const url = `${stack.baseUrls[0]}/api/agents/status/${status_token}/return-package?as=zip`
  await expect.poll(async () => (await fetch(url)).status, { interval: 500 }).toBe(200)
  return { zip: new Uint8Array(await (await fetch(url)).arrayBuffer()), run_id: run.run_id }
}

const fileOf = async (name: string, content: string | Uint8Array) => {
  const path = join(stack.dataDirectory, name)
  await writeFile(path, content, { mode: 0o600 })
  return path
}

const localEnv = () => ({ ...stack.env, DATA_DIR: stack.dataDirectory })
const ownAsset = () => ['--asset', stack.env['ASSET_CONTRACT_ADDRESS'] as string]

/** A wallet of these atomic units that submits files. */
async function submitter(name: string, tokens: bigint) {
  const wallet = newWallet()
  await rail.openAgent({ wallet, tokens })
  const key = await fileOf(name, `${wallet.privateKey}\n`)
  const asked = ['--key-file', key, '--url', stack.baseUrls[0]!, '--json']
  const submit = async (file: string, options = ownAsset()) => {
    const { code, out } = await runCli(stack.env, 'payouts', 'submit', file, ...asked, ...options)
    return { code, lines: JSON.parse(out) as Line[] }
  }
  const payouts = () =>
    rail.db
      .selectFrom('payouts')
      .select(['payout_id', 'recipient', 'amount_atomic', 'memo', 'rail_reference'])
      .where('creator', '=', wallet.address.toLowerCase())
      .orderBy('memo')
      .execute()
  return { wallet, asked, submit, payouts, balance: () => rail.balance(wallet.address) }
}

verifies(
  ['payouts.submit', 'distributionops.payout_calls'],
  'the payouts of a package are created once, also when it is sent again',
  async () => {
    const { zip, run_id } = await packageOf()
    const bodies = (await unzipped(zip)).get('payouts/payout-create.jsonl') ?? ''
    const { submit, payouts, balance, wallet } = await submitter('wallet', 10n * FEE)
    // The first of them alone, as if the program had been stopped after them.
    const changedZip = zipSync({
      ...unzipSync(zip),
      'payouts/payout-create.jsonl': strToU8(bodies.replaceAll('"1', '"2')),
    })
    const forged = await fileOf('forged.zip', changedZip)
    const refused = await runCli(localEnv(), 'payouts', 'submit', forged, '--agent', '1')
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('it is invalid') })
    const begun = await submit(
      await fileOf('begun.jsonl', bodies.split('\n').slice(0, 3).join('\n')),
    )
    expect(begun).toMatchObject({ code: 0 })
    expect(begun.lines).toHaveLength(3)
    const file = await fileOf('package.zip', zip)
    const { code, lines } = await submit(file)
    expect(code).toBe(0)
    expect(lines.map(({ memo, outcome, repeated }) => [memo, outcome, repeated])).toEqual(
      recipients
        .slice(0, PAID)
        .map(({ id }, at) => [id, 'created', at < begun.lines.length ? 'yes' : 'no']),
    )
    const made = await payouts()
    expect(made).toEqual(
      recipients.slice(0, PAID).map(({ id, amount_minor, wallet: recipient = '' }, at) => ({
        payout_id: lines[at]?.payout_id,
        recipient: recipient.toLowerCase(),
        amount_atomic: String(amount_minor),
        memo: id,
        rail_reference: run_id,
      })),
    )
    expect(lines.map(({ amount_usdc }) => amount_usdc)).toEqual(
      made.map(({ amount_atomic }) => formatUsdc(BigInt(amount_atomic))),
    )
    // Ten calls are free, and two were paid.
    const left = await balance()
    expect(left).toBe(8n * FEE)

    const again = await submit(file)
    expect(again.code).toBe(0)
    expect(again.lines.every(({ repeated }) => repeated === 'yes')).toBe(true)
    expect(again.lines.map(({ payout_id }) => payout_id)).toEqual(
      lines.map(({ payout_id }) => payout_id),
    )
    expect(await payouts()).toEqual(made)
    expect(await balance()).toBe(left)

    // Other terms under a key that was used are refused, and the others are answered all the same.
    const changed = await submit(await fileOf('changed.jsonl', bodies.replace('"1"', '"2"')))
    expect(changed.code).toBe(1)
    expect(changed.lines.filter(({ outcome }) => outcome === 'refused')).toMatchObject([
      { memo: 'r00', code: 'idempotency_conflict', payout_id: null },
    ])
    expect(await payouts()).toEqual(made)
    const args = ['payouts', 'submit', file, '--agent', '1']
    const local = await runCli(localEnv(), ...args)
    expect(local.out).toMatch(/^memo +recipient +amount_usdc +outcome/)
    expect(local.out).toMatch(/r00 +0x[0-9a-fA-F]{40} +1 +created +no +po_/)
    expect(wallet.address).not.toBe(stack.accounts.agents[1]?.address)
  },
)

verifies(
  'payouts.submit',
  'neither fees over their limit nor fees in another token are paid',
  async () => {
    const bodies = ['a', 'b', 'c'].map((memo) => JSON.stringify({ ...rail.terms(), memo }))
    const file = await fileOf('limited.jsonl', bodies.join('\n'))
    const { submit, asked, wallet, balance } = await submitter('limited', 3n * FEE)
    await rail.useUpFreeCalls(wallet.address)
    const codes = ({ lines }: { lines: Line[] }) => lines.map(({ code }) => code)
    const limited = await submit(file, [...ownAsset(), '--max-fees', '0.19'])
    expect(codes(limited)).toEqual([null, 'payment_required', 'not_sent'])
    expect(await balance()).toBe(2n * FEE)
    const { code, text } = await runCli(stack.env, 'payouts', 'submit', file, ...asked)
    expect([code, text]).toEqual([1, expect.stringContaining('not in 0x833589fCD6')])
    expect(await balance()).toBe(2n * FEE)
    expect(codes(await submit(file))).toEqual([null, null, null])
    expect(await balance()).toBe(0n)
  },
)

verifies(
  'payouts.submit',
  'a call that cannot be paid is pending, and a wrong file is refused',
  async () => {
    const body = { ...rail.terms(), memo: 'pending' }
    const file = await fileOf('pending.jsonl', `${JSON.stringify(body)}\n`)
    const { submit, payouts, wallet } = await submitter('poor', 0n)
    await rail.useUpFreeCalls(wallet.address)
    expect(await submit(file)).toMatchObject({
      code: 3,
      lines: [{ memo: 'pending', outcome: 'pending', payout_id: null }],
    })
    expect(await payouts()).toEqual([])
    for (const [content, said] of [
      [`${JSON.stringify(body)}\n${JSON.stringify(body)}\n`, 'line 2 has the idempotency_key'],
      ['{"recipient":"0x"}\n', 'line 1 is no body'],
      ['PK', 'it is no package'],
    ] as const) {
      const wrong = await fileOf('wrong', content)
      const { code, text } = await runCli(localEnv(), 'payouts', 'submit', wrong, '--agent', '1')
      expect([code, text]).toEqual([1, expect.stringContaining(said)])
    }
    const unsigned = await runCli(stack.env, 'payouts', 'submit', file)
    expect(unsigned).toMatchObject({ code: 1, text: expect.stringContaining('--key-file') })
    const noKey = await runCli(stack.env, 'payouts', 'submit', file, '--key-file', file)
    expect(noKey).toMatchObject({ code: 1, text: expect.stringContaining('no private key') })
    expect(noKey.text).not.toContain(body.idempotency_key)
  },
)
