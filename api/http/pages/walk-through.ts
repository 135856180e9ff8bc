/** One step of the walk-through: what it does, and its part of a program that runs as pasted. */
export type Step = { readonly title: string; readonly text: string; readonly code: string }

/** A payout on the local stack, step by step; the steps together are one program (`walkThroughScript`). */
export function walkThrough(baseUrl: string): readonly Step[] {
  return [
    {
      title: 'Open an agent and a treasury',
      text: 'The agent has a wallet: it signs a proof for each call, and pays with x402 once its ten free calls are used up. The treasury has the two keys that may release money. On the local stack both are in accounts.json.',
      code: `import { readFileSync } from 'node:fs'
import { env } from 'node:process'
import { authorizePayout, createClient, executePayout, payingFetch, verifyReceiptChain } from '@agent-rails/client'
import { privateKeyToAccount } from 'viem/accounts'

const baseUrl = '${baseUrl}'
const accounts = JSON.parse(readFileSync(\`\${env.DATA_DIR ?? '.data'}/demo/accounts.json\`, 'utf8'))
const service = createClient({ baseUrl })
const asset = String((await service.call('trust-contract', {})).body.payout.asset)
const wallet = privateKeyToAccount(accounts.agents[0].private_key)
const client = createClient({ baseUrl, wallet, fetch: payingFetch(wallet, { asset, maxPerCall: 100_000n }) })
const treasury = {
  origin: baseUrl,
  holder: privateKeyToAccount(accounts.treasury.holder.private_key),
  principal: privateKeyToAccount(accounts.treasury.principal.private_key),
  operator: createClient({ baseUrl, operator: accounts.operator.credential }),
}`,
    },
    {
      title: 'Create',
      text: 'Fixes the terms. The idempotency key names the payout: the same call with the same key is the same payout, however often it is sent.',
      code: `const key = \`walk-\${Date.now()}\`
const created = await client.call('payout-create', {
  recipient: accounts.agents[1].address,
  amount_usdc: '1.25',
  idempotency_key: key,
  memo: 'walk-through',
  rail_reference: key,
  usage: 'synthetic',
})
const { payout } = created.body
console.log('created   ', payout.payout_id)`,
    },
    {
      title: 'Authorize',
      text: 'Paying for a call gives no right to the money. The treasury’s holder presents a mandate that was issued for exactly this payout, and its principal signs the terms (EIP-712); each of these works once.',
      code: `const expiresAt = Math.floor(Date.now() / 1000) + 3600
const authorization = await authorizePayout(treasury, payout, { expiresAt, idempotencyKey: \`\${key}-authorize\` })
const authorized = await client.call('payout-authorize', authorization)
console.log('authorized', authorized.body.payout.mandate_ref)`,
    },
    {
      title: 'Execute',
      text: 'Reserves under the daily cap, signs, submits and confirms. The service answers 202 while this is under way; the same call again joins it, which executePayout does until the payout is executed. After a crash, come back with the same key.',
      code: `const execute = { payout_id: payout.payout_id, idempotency_key: \`\${key}-execute\` }
const executed = await executePayout(client, execute)
console.log('executed  ', executed.payout.transfer.transaction_hash)`,
    },
    {
      title: 'Check the receipts',
      text: 'Each transition has a signed receipt that names the one before it. With the published keys anyone checks them, also offline; the service answers the same.',
      code: `const keys = (await service.call('jwks', {})).body
for (const { kind } of await verifyReceiptChain(executed.receipts, keys)) console.log('receipt   ', kind)
for (const receipt of executed.receipts) {
  const { body } = await service.call('verify-receipt', { receipt })
  console.log('receipt   ', body.kind, body.verified, \`\${baseUrl}/api/verify-receipt?receipt_id=\${body.receipt_id}\`)
}`,
    },
  ]
}

/** All steps as one program for `node --input-type=module`, run in the folder of the project. */
export const walkThroughScript = (baseUrl: string): string =>
  `${walkThrough(baseUrl)
    .map(({ title, code }) => `// ${title}\n${code}`)
    .join('\n\n')}\n`
