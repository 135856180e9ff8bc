import { type Complaint, type Facts, groupBy, type Judgement, type LaneFact } from './facts.ts'

/** After draining no gas wallet waits for anything: nothing open, no hole, and the next nonce is the chain's. */
export const judgeLane: Judgement = ({ store, chain }) => {
  const rows = groupBy(store.lane, ({ gas_wallet }) => gas_wallet)
  return store.gasWallets.flatMap(({ address, next_nonce }) => {
    const lane = rows.get(address) ?? []
    const { mined = 0, pooled = 0 } = chain.nonces.get(address) ?? {}
    const next = Number(next_nonce)
    const complain = (as: Complaint['as'], what: string, wrong: boolean, evidence: unknown): Complaint[] =>
      wrong ? [{ as, what, evidence: { address, next, mined, pooled, rows: evidence } }] : []
    const open = lane.filter(({ outcome }) => outcome === null)
    return [
      ...complain('stuck', 'a gas wallet has open transactions', open.length > 0, open),
      ...complain('stuck', 'a gas wallet has transactions in the pool', pooled > mined, open),
      ...complain('stuck', 'nonces were given out that the chain never saw', next > mined, holes(lane, mined, next)),
      ...complain('disagreements', 'the chain used nonces that were never given out', next < mined, lane.at(-1)),
      ...complain('disagreements', 'one nonce was mined twice', minedTwice(lane).length > 0, minedTwice(lane)),
    ]
  })
}

const holes = (lane: LaneFact[], mined: number, next: number): number[] =>
  Array.from({ length: Math.max(0, next - mined) }, (_, index) => mined + index).filter(
    (nonce) => !lane.some(({ eoa_nonce }) => Number(eoa_nonce) === nonce),
  )

const minedTwice = (lane: Facts['store']['lane']): LaneFact[] =>
  [...groupBy(lane, ({ eoa_nonce }) => eoa_nonce).values()]
    .map((siblings) => siblings.filter(({ outcome }) => outcome === 'mined' || outcome === 'reverted'))
    .filter((siblings) => siblings.length > 1)
    .flat()
