import type { RunRecord } from '../run-record.ts'
import {
  type Complaint,
  indexBy,
  type PayoutFact,
  type TransferFact,
  type Verdict,
} from './facts.ts'

/** What was acknowledged is there, and each run ended as its schedule says that it has to. */
export const checkPromises: Verdict = ({ runs, store }) => {
  const payouts = indexBy(store.payouts, ({ payout_id }) => payout_id)
  const transfers = indexBy(store.transfers, ({ payout_id }) => payout_id)
  return runs.flatMap((run) => {
    const payout = payouts.get(run.payoutId ?? '')
    const transfer = transfers.get(run.payoutId ?? '')
    return [...acknowledged(run, payout, transfer), ...ending(run, payout, transfer)]
  })
}

function acknowledged(
  run: RunRecord,
  payout: PayoutFact | undefined,
  transfer: TransferFact | undefined,
): Complaint[] {
  const there: Record<string, (status: number) => boolean> = {
    'payout-create': () => payout !== undefined,
    'payout-authorize': () => payout !== undefined && payout.state !== 'created',
    'payout-execute': (status) =>
      transfer !== undefined && (status === 202 || payout?.state === 'executed'),
  }
  return run.calls.flatMap(({ operation, answers }): Complaint[] => {
    const good = answers.filter(({ status }) => status >= 200 && status < 300)
    const evidence = {
      answered: good.map(({ status, atMs }) => ({ status, atMs })),
      payout,
      transfer,
    }
    return good.every(({ status }) => there[operation]?.(status) ?? true)
      ? []
      : [
          {
            as: 'lost',
            what: `an acknowledged ${operation} is not there`,
            evidence,
            run: run.index,
          },
        ]
  })
}

function ending(
  run: RunRecord,
  payout: PayoutFact | undefined,
  transfer: TransferFact | undefined,
): Complaint[] {
  const evidence = { expects: run.expects, schedule: run.schedule, payout, transfer }
  const complain = (as: 'lost' | 'stuck' | 'disagreements', what: string): Complaint[] => [
    { as, what, evidence, run: run.index },
  ]
  const executed =
    payout?.state === 'executed' &&
    (transfer?.status === 'included' || transfer?.status === 'final')
  const dead = transfer?.status === 'dead'
  switch (run.expects) {
    case 'refused':
      return transfer === undefined
        ? []
        : complain('disagreements', 'a run that had to be refused reserved a transfer')
    case 'either': {
      const checked = transfer === undefined || transfer.exception !== null
      return executed || dead || checked ? [] : complain('stuck', 'a run has not ended')
    }
    case 'executed':
    case 'dead': {
      if (run.expects === 'executed' ? executed : dead) return []
      const ended = executed || dead || (transfer === undefined && hadLastWord(run))
      return complain(ended ? 'lost' : 'stuck', `a run had to end ${run.expects} and did not`)
    }
  }
}

/** Whether the last step gave the caller an answer that no repeat changes; otherwise it is still waiting. */
function hadLastWord({ calls }: RunRecord): boolean {
  const last = calls.at(-1)?.answers.at(-1)
  return (
    last !== undefined &&
    last.status >= 400 &&
    (last.body as { retryable?: boolean }).retryable !== true
  )
}
