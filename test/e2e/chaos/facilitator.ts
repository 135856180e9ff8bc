import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { NETWORK } from '#domain/core/limits.ts'
import type { LocalChainClient } from '../../../worker/stack/token.ts'

type Asked = { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }

/** An x402 facilitator of another provider, over HTTP; `timesOut` says whose settlement it carries out without ever answering. */
export async function startFacilitator(
  chain: LocalChainClient,
  timesOut: (payer: string) => boolean,
) {
  const account = privateKeyToAccount(generatePrivateKey())
  const wallet = createWalletClient({
    account,
    chain: chain.chain,
    transport: http(chain.transport['url'] as string),
  })
  let last: Promise<unknown> = Promise.resolve()
  const signer = toFacilitatorEvmSigner(
    {
      address: account.address,
      getCode: (args) => chain.getCode(args),
      readContract: (args) => chain.readContract(args as never),
      verifyTypedData: (args) => chain.verifyTypedData(args as never),
      // One after the other, because the node gives out the account's nonces; its ether may be lost with a block.
      writeContract: (args) => {
        const sent = last.then(async () => {
          await chain.setBalance({ address: account.address, value: parseEther('100') })
          return wallet.writeContract(args as never)
        })
        last = sent.catch(() => undefined)
        return sent
      },
      sendTransaction: (args) => wallet.sendTransaction(args as never),
      waitForTransactionReceipt: (args) => chain.waitForTransactionReceipt(args),
    },
    { confirmationTimeoutMs: 4_000 },
  )
  const facilitator = new x402Facilitator().register(
    NETWORK,
    new ExactEvmScheme(signer, { simulateInSettle: false }),
  )

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/supported') return answer(facilitator.getSupported())
    const { paymentPayload, paymentRequirements } = JSON.parse(
      Buffer.concat(chunks).toString(),
    ) as Asked
    try {
      if (request.url === '/verify')
        return answer(await facilitator.verify(paymentPayload, paymentRequirements))
      const settled = await facilitator.settle(paymentPayload, paymentRequirements)
      const { authorization } = paymentPayload.payload as { authorization?: { from?: string } }
      if (!timesOut((authorization?.from ?? '').toLowerCase())) answer(settled)
    } catch {
      response.writeHead(500).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
