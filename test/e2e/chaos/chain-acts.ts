import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  numberToHex,
  parseAbi,
  parseEther,
  parseSignature,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  signAuthorization,
  type TokenAuthorization,
} from '../../../activities/chain/authorization.ts'
import type { ServiceAccounts } from '../../../worker/stack/accounts.ts'
import { type LocalChainClient, mintTokens } from '../../../worker/stack/token.ts'
import { batchAbi, deployBatch } from '../../activities/chain/batch.ts'
import { decodeTransfer } from './transfer-bytes.ts'

const tokenAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function pause()',
  'function unpause()',
  'function paused() view returns (bool)',
])
const GAS_ETHER = parseEther('100')
const PAYOUT_WALLET_TOKENS = 10_000_000_000n

/** What third parties, the token's issuer and the chain itself do; `chain` asks the real node and acts as the token's owner. */
export type ChainActs = Awaited<ReturnType<typeof openChainActs>>

/** Makes the acts ready: a contract that batches calls, and a stranger with tokens. */
export async function openChainActs(
  chain: LocalChainClient,
  asset: Address,
  service: ServiceAccounts,
) {
  const stranger = privateKeyToAccount(generatePrivateKey())
  const batch = await deployBatch(chain)
  await mintTokens(chain, asset, stranger.address, 1_000_000_000n)
  const gasWallets = service.gasWallets.map((wallet) => privateKeyToAccount(wallet.private_key))
  const payoutWallet = privateKeyToAccount(service.payoutWallet.private_key)
  const domain = {
    name: 'USD Coin',
    version: '2',
    chainId: 8453,
    verifyingContract: asset,
  } as const

  const isUsed = (nonce: Hex): Promise<boolean> =>
    chain.readContract({
      address: asset,
      abi: tokenAbi,
      functionName: 'authorizationState',
      args: [payoutWallet.address, nonce],
    })

  /** Sent from a new account, so that no other nonce blocks it; waits a few blocks for it. */
  const byStranger = async (to: Address, data: Hex): Promise<void> => {
    const account = privateKeyToAccount(generatePrivateKey())
    await chain.setBalance({ address: account.address, value: parseEther('1') })
    await mined(await walletOf(chain, account).sendTransaction({ to, data, gas: 2_000_000n }))
  }
  const mined = async (hash: Hex): Promise<void> => {
    await chain.waitForTransactionReceipt({ hash, timeout: 4_000 })
  }
  const owner = async (functionName: 'pause' | 'unpause'): Promise<void> => {
    await mined(
      await chain.writeContract({ address: asset, abi: tokenAbi, functionName, gas: 100_000n }),
    )
  }
  const setTokens = (address: Address, atomic: bigint): Promise<void> =>
    // Balances are the token's first storage slot: no Transfer says where these units came from or went.
    chain.setStorageAt({
      address: asset,
      index: keccak256(
        encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, 0n]),
      ),
      value: numberToHex(atomic, { size: 32 }),
    })

  const replacements = new Map<Hex, Hex>()

  return {
    /** A third party broadcasts the authorization of these bytes first. */
    frontRun: async (raw: Hex): Promise<void> => {
      const { authorization, signature } = decodeTransfer(raw)
      await byStranger(asset, otherOverload(authorization, signature))
    },
    /** The same between two transfers of a stranger, in one transaction. */
    frontRunInBatch: async (raw: Hex): Promise<void> => {
      const { authorization, signature } = decodeTransfer(raw)
      const foreign = async (): Promise<Hex> => {
        const terms: TokenAuthorization = {
          ...authorization,
          from: stranger.address,
          to: privateKeyToAccount(generatePrivateKey()).address,
          nonce: generatePrivateKey(),
        }
        return otherOverload(terms, await signAuthorization(stranger, asset, terms))
      }
      const calls = [await foreign(), otherOverload(authorization, signature), await foreign()]
      await byStranger(
        batch,
        encodeFunctionData({ abi: batchAbi, functionName: 'run', args: [asset, calls] }),
      )
    },
    /** The payout wallet's key spends the nonce of these bytes on a transfer of nothing: it succeeds, and no recipient is paid. */
    spendOnNothing: async (raw: Hex): Promise<void> => {
      const terms = { ...decodeTransfer(raw).authorization, value: 0n }
      await byStranger(
        asset,
        otherOverload(terms, await signAuthorization(payoutWallet, asset, terms)),
      )
    },
    /** The gas wallet's own key spends the same EOA nonce on something else; asked again, it waits for what it has sent. */
    replace: async (raw: Hex): Promise<void> => {
      const sender = await recoverTransactionAddress({
        serializedTransaction: raw as `0x02${string}`,
      })
      const account = gasWallets.find(({ address }) => address === sender)
      const {
        nonce = 0,
        maxFeePerGas = 0n,
        maxPriorityFeePerGas = 0n,
      } = parseTransaction(raw as `0x02${string}`)
      if (account === undefined) return
      const hash =
        replacements.get(raw) ??
        (await walletOf(chain, account).sendTransaction({
          to: sender,
          nonce,
          gas: 21_000n,
          maxFeePerGas: maxFeePerGas * 2n,
          maxPriorityFeePerGas: maxPriorityFeePerGas * 2n,
        }))
      replacements.set(raw, hash)
      await mined(hash)
    },
    /** The payout wallet's key cancels the authorization, again and again until that is final. */
    cancel: async (nonce: Hex): Promise<void> => {
      const signature = await payoutWallet.signTypedData({
        domain,
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: payoutWallet.address, nonce },
      })
      const { r, s, v } = parseSignature(signature)
      const data = encodeFunctionData({
        abi: tokenAbi,
        functionName: 'cancelAuthorization',
        args: [payoutWallet.address, nonce, Number(v), r, s],
      })
      const isFinal = () =>
        chain.readContract({
          address: asset,
          abi: tokenAbi,
          functionName: 'authorizationState',
          args: [payoutWallet.address, nonce],
          blockTag: 'finalized',
        })
      while (!(await isFinal().catch(() => false))) {
        if (!(await isUsed(nonce).catch(() => true)))
          await byStranger(asset, data).catch(() => undefined)
        await sleep(300)
      }
    },
    /** The newest blocks are gone, with their transactions. A node that was restarted cannot look back and forgets what it mines next. */
    reorg: async (depth: number): Promise<void> => {
      const direct = chain.request({ method: 'anvil_reorg', params: [depth, []] } as never)
      if (
        await direct.then(
          () => true,
          () => false,
        )
      )
        return
      const id = await chain.snapshot()
      await sleep(depth * 1_000)
      await chain.revert({ id })
    },
    emptyGasWallets: () => setEther(chain, gasWallets, 0n),
    fundGasWallets: () => setEther(chain, gasWallets, GAS_ETHER),
    emptyPayoutWallet: () => setTokens(payoutWallet.address, 0n),
    fundPayoutWallet: () => setTokens(payoutWallet.address, PAYOUT_WALLET_TOKENS),
    pauseToken: () => owner('pause'),
    unpauseToken: async (): Promise<void> => {
      for (let tries = 0; tries < 10; tries++) {
        const paused = await chain.readContract({
          address: asset,
          abi: tokenAbi,
          functionName: 'paused',
        })
        if (!paused) return
        await owner('unpause').catch(() => undefined)
      }
      throw new Error('the token stays paused')
    },
    /** A block every second and none for a transaction, so that transactions wait, and can be replaced and lost. */
    /** What was done so far is final first: a reorg takes back nothing of it. */
    mineByTheClock: async () => {
      await chain.mine({ blocks: 8 })
      await chain.setIntervalMining({ interval: 1 })
    },
  }
}

const setEther = async (
  chain: LocalChainClient,
  wallets: PrivateKeyAccount[],
  value: bigint,
): Promise<void> => {
  for (const { address } of wallets) await chain.setBalance({ address, value })
}

const walletOf = (chain: LocalChainClient, account: PrivateKeyAccount) =>
  createWalletClient({
    account,
    chain: chain.chain,
    transport: http(chain.transport['url'] as string),
  })

function otherOverload(terms: TokenAuthorization, signature: Hex): Hex {
  const { r, s, v } = parseSignature(signature)
  const { from, to, value, validAfter, validBefore, nonce } = terms
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, Number(v), r, s],
  })
}
