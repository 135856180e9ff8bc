/** One step of the walk-through: what it does, and its part of a program that runs as pasted. */
export type Step = { readonly title: string; readonly text: string; readonly code: string }

/** A payout on the local stack, step by step; the steps together are one program (`walkThroughScript`). */
export function walkThrough(baseUrl: string): readonly Step[] {
  return [
    {
      title: 'Open an agent and a treasury',
      text: 'The agent has a wallet: it signs a proof for each call, and pays with x402 once its ten free calls are used up. The treasury has the two keys that may release money. On the local stack both lie in accounts.json.',
      code: `import { readFileSync } from 'node:fs'
import { env } from 'node:process'
import { createClient } from '@agent-rails/client'
import { openPayingAgent } from './dist/worker/stack/paying-agent.js'
import { openTreasury } from './dist/worker/stack/treasury.js'

const baseUrl = '${baseUrl}'
const data = env.DATA_DIR ?? '.data'
const accounts = JSON.parse(readFileSync(\`\${data}/demo/accounts.json\`, 'utf8'))
const [, recipient, payer] = accounts.agents
const service = createClient({ baseUrl })
const { asset } = (await service.call('trust-contract', {})).body.payout
const agent = openPayingAgent({ baseUrl, origin: baseUrl, privateKey: payer.private_key, asset })
const treasury = openTreasury({
  baseUrl,
  origin: baseUrl,
  accounts: accounts.treasury,
  operator: accounts.operator.credential,
})`,
    },
    {
      title: 'Create',
      text: 'Fixes the terms. The idempotency key names the payout: the same call with the same key is the same payout, however often it is sent.',
      code: `const key = \`walk-\${Date.now()}\`
const created = await agent.client.call('payout-create', {
  recipient: recipient.address,
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
const authorization = await treasury.authorize(payout, { expiresAt, idempotencyKey: \`\${key}-authorize\` })
const authorized = await agent.client.call('payout-authorize', authorization)
console.log('authorized', authorized.body.payout.mandate_ref)`,
    },
    {
      title: 'Execute',
      text: 'Reserves under the daily cap, signs, submits and confirms. 200 is executed; 202 is still under way, and the same call again joins it. After a crash, come back with the same key.',
      code: `const execute = { payout_id: payout.payout_id, idempotency_key: \`\${key}-execute\` }
let executed = await agent.client.call('payout-execute', execute)
while (executed.status === 202) {
  await new Promise((resolve) => setTimeout(resolve, executed.body.payout.transfer.next_poll_ms ?? 1000))
  executed = await agent.client.call('payout-execute', execute)
}
console.log('executed  ', executed.body.payout.transfer.transaction_hash)`,
    },
    {
      title: 'Check the receipts',
      text: 'Each transition has a receipt, signed with Ed25519; anyone can have it checked here or check it against the published keys.',
      code: `for (const receipt of executed.body.receipts) {
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
