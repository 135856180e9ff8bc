import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, newKey, type OutputOf } from '../calls.ts'
import {
  Age,
  Button,
  Card,
  Cell,
  Facts,
  Foreign,
  fieldClass,
  Id,
  Loading,
  Money,
  PageTitle,
  Problem,
  Row,
  State,
  Table,
} from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import { Json } from '../parts/json.tsx'

type Read = OutputOf<'money'>

/** Balances, the daily cap, credit, fees, statements and differences. */
export function MoneyPage() {
  const [span, setSpan] = useState<'day' | 'month'>('day')
  const money = useQuery({ queryKey: ['money', span], queryFn: () => call('money', { span }) })
  return (
    <>
      <PageTitle
        aside={
          <div className="flex gap-2">
            {(['day', 'month'] as const).map((one) => (
              <Button
                key={one}
                aria-pressed={span === one}
                tone={span === one ? 'primary' : 'plain'}
                onClick={() => setSpan(one)}
              >
                {one === 'day' ? '24 hours' : '30 days'}
              </Button>
            ))}
          </div>
        }
      >
        Money
      </PageTitle>
      <Problem error={money.error} />
      {money.data === undefined ? <Loading /> : <Shown money={money.data} />}
    </>
  )
}

function Shown({ money }: { money: Read }) {
  const { payout_wallet, daily_cap, credit, fees, gas_wallets, statements } = money
  const share = Number(daily_cap.used_usdc) / Number(daily_cap.cap_usdc)
  return (
    <div className="space-y-4">
      <div className="grid gap-4 lg:grid-cols-3">
        <Card title="Daily cap">
          <p className="m-0 mb-2 text-2xl tabular-nums">
            <Money usd={daily_cap.left_usdc} /> <span className="text-base text-muted">left</span>
          </p>
          <meter
            className="w-full"
            min={0}
            max={1}
            high={0.8}
            value={share}
            aria-label="Part of the daily cap in use"
          >
            {Math.round(share * 100)} %
          </meter>
          <p className="m-0 text-sm text-muted">
            <Money usd={daily_cap.used_usdc} /> of <Money usd={daily_cap.cap_usdc} /> used in 24
            hours
          </p>
        </Card>
        <Card title="Payout wallet">
          <p className="m-0 mb-2 text-2xl">
            {payout_wallet.balance_usdc === null ? (
              'the chain does not answer'
            ) : (
              <Money usd={payout_wallet.balance_usdc} />
            )}
          </p>
          <Id id={payout_wallet.address} length={20} />
        </Card>
        <Card title="Credit and fees">
          <Facts
            facts={[
              ['Outstanding', <Money key="o" usd={credit.outstanding_units} />],
              ['Reserved for tasks', <Money key="r" usd={credit.reserved_units} />],
              ['Fees settled', <Money key="f" usd={fees.usdc} />],
              ['Settled charges', fees.settled],
              ['Of them a credit', fees.credits],
            ]}
          />
        </Card>
      </div>
      <Card title="What moved, in USD">
        <Chart
          series={{
            title: 'Paid out, earned with charges, credited for runs',
            labels: money.series.map(({ at }) => at),
            times: money.series.map(({ at }) => Date.parse(at) / 1000),
            lines: [
              { name: 'paid out', values: money.series.map(({ paid_out }) => paid_out) },
              { name: 'earned', values: money.series.map(({ earned }) => earned) },
              { name: 'credited', values: money.series.map(({ credited }) => credited) },
            ],
          }}
        />
      </Card>
      <Card title="Gas wallets">
        <Table
          label="Gas wallets"
          head={['Address', 'Balance', 'Open', 'Oldest nonce', 'Waits', 'State']}
        >
          {gas_wallets.map((wallet) => (
            <Row key={wallet.address}>
              <Cell>
                <Id id={wallet.address} length={14} />
              </Cell>
              <Cell right>
                {wallet.balance_wei === null
                  ? '–'
                  : `${(Number(wallet.balance_wei) / 1e18).toFixed(4)} ETH`}
              </Cell>
              <Cell right>{wallet.open_transactions}</Cell>
              <Cell right>{wallet.oldest_nonce ?? '–'}</Cell>
              <Cell right>{wallet.waiting_seconds} s</Cell>
              <Cell>
                <State name={wallet.jammed ? 'jammed' : 'moves'} />
              </Cell>
            </Row>
          ))}
        </Table>
      </Card>
      <Differences />
      <Card title="Signed statements">
        {statements.length === 0 ? (
          <p className="m-0">No day is final yet.</p>
        ) : (
          <Table label="Statements" head={['Day', 'Digest', 'Key', 'Signed']}>
            {statements.map(({ day, sha256, kid, made_at }) => (
              <Row key={day}>
                <Cell>{day}</Cell>
                <Cell>
                  <Id id={sha256} />
                </Cell>
                <Cell>
                  <Id id={kid} />
                </Cell>
                <Cell>
                  <Age since={made_at} />
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      </Card>
    </div>
  )
}

/** What reconciliation found, with both sides as they were seen. */
function Differences() {
  const read = useQuery({ queryKey: ['reconciliation'], queryFn: () => call('reconciliation', {}) })
  const list = read.data?.exceptions ?? []
  return (
    <Card title={`Differences: ${list.length}`}>
      <Problem error={read.error} />
      <p className="m-0 mb-2 text-sm text-muted">
        {read.data?.last_run == null
          ? 'No reconciliation ran yet.'
          : `The last run compared ${read.data.last_run.compared} records up to block ${read.data.last_run.through_block}.`}
      </p>
      <ul className="m-0 list-none space-y-3 p-0">
        {list.map((one) => (
          <Difference key={one.exception_id} one={one} />
        ))}
      </ul>
    </Card>
  )
}

function Difference({ one }: { one: OutputOf<'reconciliation'>['exceptions'][number] }) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [error, setError] = useState<unknown>()
  const close = async () => {
    try {
      await call('close-exception', {
        mode: 'close_exception',
        exception_id: one.exception_id,
        reason,
        idempotency_key: newKey(),
      })
      await queries.invalidateQueries()
    } catch (refused) {
      setError(refused)
    }
  }
  return (
    <li className="rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <State name={one.code} /> <Foreign text={one.subject} /> <Age since={one.first_seen_at} />
        {!one.seen && <span className="text-sm text-muted">no longer seen</span>}
      </div>
      <details className="my-2">
        <summary className="cursor-pointer">Both sides as they were seen</summary>
        <Json value={one.evidence} />
      </details>
      <Problem error={error} />
      <div className="flex flex-wrap gap-2">
        <input
          className={`${fieldClass} max-w-md`}
          aria-label="Reason for closing"
          placeholder="Reason for closing"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button disabled={reason === ''} onClick={() => void close()}>
          Close
        </Button>
      </div>
    </li>
  )
}
