import type { LoggedTransaction } from '#domain/reconciliation/findings.ts'
import type { TokenAuthorization } from '../chain/authorization.ts'
import { NodeFaultError } from '../chain/chain-fault.ts'
import { soughtOf } from '../chain/outcome.ts'
import type { ReconciliationDeps } from './deps.ts'

/** A transfer or payment that its row calls done, and the block that it names. */
type DoneRow = {
  readonly from_block: string | null
  readonly transaction_hash: string | null
  readonly block_number: string | null
  readonly block_hash: string | null
}

/**
 * The transaction of a payment that its row calls done. A missing receipt proves nothing, so its authorization decides: null once
 * that is proven unused, and the transaction that used it otherwise. Throws while neither is proven.
 */
export async function findDone(
  { ledger, findOutcome }: Pick<ReconciliationDeps, 'ledger' | 'findOutcome'>,
  row: DoneRow,
  authorization: TokenAuthorization,
): Promise<LoggedTransaction> {
  const { transaction_hash, block_number, block_hash } = row
  const found = transaction_hash === null ? null : await ledger.transaction(transaction_hash)
  if (found !== null) return found
  const seenIn =
    block_number === null || block_hash === null
      ? undefined
      : { number: BigInt(block_number), hash: block_hash }
  const outcome = await findOutcome(authorization, { ...soughtOf(row), seenIn })
  if (outcome.kind === 'dead') return null
  if (outcome.kind === 'unknown') {
    if (outcome.code === 'unused') return null
    throw new NodeFaultError(`no receipt of ${transaction_hash}: ${outcome.reason}`)
  }
  const used = await ledger.transaction(outcome.transactionHash)
  if (used === null) throw new NodeFaultError(`no receipt of ${outcome.transactionHash}`)
  return used
}
