import { generateKeyPairSync } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { payoutId } from '#domain/core/ids.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { proofOf } from './baseline/proof.ts'
import { serveParent } from './child.ts'
import { type Events, openEvents } from './events.ts'
import { drive, type Run } from './figures.ts'
import { type PayoutSubject, preparePayout, provenCall, type Signers } from './subjects.ts'
import { openWire, type PreparedCall, prepared } from './wire.ts'

/** The callers of the rail, in a process of their own: everything is signed before `run`, which only sends. */
export type LoadSettings = {
  baseUrl: string
  databaseUrl: string
  signingKeysFile: string
  asset: Address
  payoutWallet: Address
  holderKey: Hex
  principalKey: Hex
}
type RunPayouts = { callers: number; until: 'signed' | 'included' }

const state = {
  signers: undefined as Signers | undefined,
  events: undefined as Events | undefined,
  payouts: [] as PayoutSubject[],
  wallets: [] as PrivateKeyAccount[],
  calls: [] as PreparedCall[],
}
const opened = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('open comes first')
  return value
}

const statusReads = (perWallet: number) =>
  Array.from({ length: perWallet }, () => state.wallets)
    .flat()
    .map((wallet) => ({ wallet, body: { payout_id: payoutId(wallet.address, 'bench') } }))

serveParent(
  {
    open: async (settings: LoadSettings) => {
      const { signingKeysFile, holderKey, principalKey, databaseUrl, ...rest } = settings
      const [holder, principal] = [
        privateKeyToAccount(holderKey),
        privateKeyToAccount(principalKey),
      ]
      state.signers = { ...rest, keys: loadKeyRings(signingKeysFile), holder, principal }
      state.events = await openEvents(databaseUrl)
    },

    preparePayouts: async (count: number) => {
      state.payouts = []
      while (state.payouts.length < count)
        state.payouts.push(await preparePayout(opened(state.signers)))
      return state.payouts.map(({ payoutId: id }) => id)
    },

    runPayouts: async ({ callers, until }: RunPayouts): Promise<Run> => {
      const wire = openWire(callers)
      const events = opened(state.events)
      const run = await drive(
        callers,
        state.payouts,
        async ({ payoutId: id, calls }, { lap, note }) => {
          let begun = 0
          for (const call of calls) {
            begun = performance.now()
            await wire.insist(call)
            lap(call.step)
          }
          await events.seen(`${until}:${id}`)
          note(`execute until ${until}`, performance.now() - begun)
        },
      )
      wire.close()
      return { ...run, repeats: wire.repeats }
    },

    /** New wallets, whose payouts are seeded by SQL before their status is asked for. */
    newWallets: async (count: number): Promise<{ creator: string; payoutId: string }[]> => {
      state.wallets = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
      return state.wallets.map(({ address }) => ({
        creator: address.toLowerCase(),
        payoutId: payoutId(address, 'bench'),
      }))
    },

    prepareStatus: async (perWallet: number) => {
      const { baseUrl } = opened(state.signers)
      state.calls = []
      for (const { wallet, body } of statusReads(perWallet))
        state.calls.push(await provenCall(baseUrl, wallet, 'payout-status', body))
    },

    /** The same reads for the bare server, each with a signature that OpenSSL verifies. */
    prepareBareStatus: async ({ perWallet, url }: { perWallet: number; url: string }) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
      state.calls = statusReads(perWallet).map(({ body }) =>
        prepared('status', url, body, proofOf(pair, body)),
      )
    },

    /** Empty calls of one caller. */
    prepareHealth: async (count: number) => {
      const { baseUrl } = opened(state.signers)
      const call = {
        step: 'healthz',
        method: 'GET',
        url: `${baseUrl}/healthz`,
        headers: {},
        body: '',
      }
      state.calls = Array.from({ length: count }, () => call)
    },

    runCalls: async (callers: number): Promise<Run> => {
      const wire = openWire(callers)
      const run = await drive(callers, state.calls, async (call) => void (await wire.insist(call)))
      wire.close()
      return { ...run, repeats: wire.repeats }
    },
  },
  async () => state.events?.close(),
)
