/** Every answer or problem that came back for one operation and key, in order, and when it was asked for; a broken connection is not an answer. */
export type CallRecord = {
  operation: string
  key: string
  answers: { status: number; body: unknown; replayed: boolean; askedMs: number; atMs: number }[]
}

/** One payout under its own schedule of faults, and all that its caller saw; amounts are atomic units, addresses lowercase. */
export type RunRecord = {
  index: number
  seed: number
  schedule: string[]
  creator: string
  payoutId: string | null
  recipient: string
  amountAtomic: string
  calls: CallRecord[]
  /** How the run has to end, once every fault is mended. */
  expects: 'executed' | 'dead' | 'either' | 'refused'
  /** Who pays the fees by x402; absent where the calls are free. */
  payer?: string
}

/** Where the real servers are, past every proxy, and the addresses that money moves between. */
export type PayoutConstraints = {
  databaseUrl: string
  rpcUrl: string
  temporalAddress: string
  asset: string
  payoutWallet: string
  payTo: string
  receiptJwks: unknown
  since: { block: string }
}

export type Finding = { run: number | null; what: string; evidence: unknown }

/** What the checker finds wrong after a batch, by how bad it is. */
export type Findings = {
  duplicates: Finding[]
  lost: Finding[]
  disagreements: Finding[]
  stuck: Finding[]
}
