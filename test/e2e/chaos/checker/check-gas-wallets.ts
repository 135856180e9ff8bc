import { type Complaint, type Facts, type GasWalletFact, groupBy, type Verdict } from './facts.ts'

/** After draining no gas wallet waits for anything: nothing open, no hole, and the next nonce is the chain's. */
export const checkGasWallets: Verdict = ({ store, chain }) => {
  const rows = groupBy(store.gasWalletQueue, ({ gas_wallet }) => gas_wallet)
  return store.gasWallets.flatMap(({ address, next_nonce }) => {
    const gasWalletQueue = rows.get(address) ?? []
    const { mined = 0, pooled = 0 } = chain.nonces.get(address) ?? {}
    const next = Number(next_nonce)
    const complain = (
      as: Complaint['as'],
      what: string,
      wrong: boolean,
      evidence: unknown,
    ): Complaint[] =>
      wrong ? [{ as, what, evidence: { address, next, mined, pooled, rows: evidence } }] : []
    // A stranger with the key takes a nonce that was given out; one that never was is a transaction of ours.
    const unstored = holes(gasWalletQueue, 0, mined)
    const open = gasWalletQueue.filter(({ outcome }) => outcome === null)
    return [
      ...complain('stuck', 'a gas wallet has open transactions', open.length > 0, open),
      ...complain('stuck', 'a gas wallet has transactions in the pool', pooled > mined, open),
      ...complain(
        'stuck',
        'nonces were given out that the chain never saw',
        next > mined,
        holes(gasWalletQueue, mined, next),
      ),
      ...complain(
        'disagreements',
        'the chain used nonces that were never given out',
        next < mined,
        gasWalletQueue.at(-1),
      ),
      ...complain(
        'disagreements',
        'a transaction was sent and never stored',
        unstored.length > 0,
        unstored,
      ),
      ...complain(
        'disagreements',
        'one nonce was mined twice',
        minedTwice(gasWalletQueue).length > 0,
        minedTwice(gasWalletQueue),
      ),
    ]
  })
}

/** Nonces from `from` up to `to` without a row. */
function holes(gasWalletQueue: GasWalletFact[], from: number, to: number): number[] {
  const stored = new Set(gasWalletQueue.map(({ eoa_nonce }) => Number(eoa_nonce)))
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index).filter(
    (nonce) => !stored.has(nonce),
  )
}

const minedTwice = (gasWalletQueue: Facts['store']['gasWalletQueue']): GasWalletFact[] =>
  [...groupBy(gasWalletQueue, ({ eoa_nonce }) => eoa_nonce).values()]
    .map((siblings) =>
      siblings.filter(({ outcome }) => outcome === 'mined' || outcome === 'reverted'),
    )
    .filter((siblings) => siblings.length > 1)
    .flat()
