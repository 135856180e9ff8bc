import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type OutputOf } from '../calls.ts'
import { Act } from '../parts/act.tsx'
import {
  Age,
  Button,
  Card,
  Empty,
  Facts,
  Id,
  Loading,
  Money,
  None,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import { Json } from '../parts/json.tsx'
import { type Columns, Table } from '../parts/table.tsx'
import { dollars, duration, utc } from '../parts/words.ts'

type Read = OutputOf<'money'>

/** Balances, the daily cap, credit, wallets, revenue, fees, statements and differences. */
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
  const { payout_wallet, daily_cap, credit, call_fees, gas_wallets, statements } = money
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
        <Card title="Credit, revenue and fees">
          <Facts
            facts={[
              ['Outstanding credit of runs', <Money key="o" usd={credit.outstanding_units} />],
              [
                'Reserved by open tasks, paid or not',
                <Money key="r" usd={credit.reserved_units} />,
              ],
              ['Held by wallets', <Money key="w" usd={credit.wallet_units} />],
              ['Owed by wallets', <Money key="d" usd={credit.debt_units} />],
              ['Revenue of runs', <Money key="e" usd={credit.revenue_units} />],
              ['Fees of runs and plans', <Money key="p" usd={credit.fee_units} />],
              ['Fees of calls, settled', <Money key="f" usd={call_fees.usdc} />],
              ['Calls that paid', call_fees.settled],
              ['Of them a credit', call_fees.credits],
            ]}
          />
        </Card>
      </div>
      <Card title="What moved, in USD">
        <div className="grid gap-6 lg:grid-cols-3">
          {moved.map(([title, numberOf]) => (
            <Chart
              key={title}
              series={{
                title: `${title}: ${dollars(total(money.series.map(numberOf)))} USD`,
                labels: money.series.map(({ at }) => utc(at)),
                times: money.series.map(({ at }) => Date.parse(at) / 1000),
                lines: [{ name: title, values: money.series.map(numberOf) }],
              }}
            />
          ))}
        </div>
      </Card>
      <Card title="Gas wallets">
        <Table
          label="Gas wallets"
          items={gas_wallets}
          keyOf={(wallet) => wallet.address}
          columns={gasWallets}
        />
      </Card>
      <Differences />
      <Card title="Signed statements">
        {statements.length === 0 ? (
          <Empty title="No statement yet">A day is signed when its blocks are final.</Empty>
        ) : (
          <Table
            label="Statements"
            items={statements}
            keyOf={({ day }) => day}
            columns={[
              { name: 'Day', of: ({ day }) => day },
              { name: 'Digest', of: ({ sha256 }) => <Id id={sha256} /> },
              { name: 'Key', of: ({ kid }) => <Id id={kid} /> },
              { name: 'Signed', named: true, of: ({ made_at }) => <Age since={made_at} /> },
            ]}
          />
        )}
      </Card>
    </div>
  )
}

const gasWallets: Columns<Read['gas_wallets'][number]> = [
  { name: 'Address', of: (wallet) => <Id id={wallet.address} length={14} /> },
  {
    name: 'Balance',
    right: true,
    of: (wallet) =>
      wallet.balance_wei === null ? (
        <None />
      ) : (
        `${(Number(wallet.balance_wei) / 1e18).toFixed(4)} ETH`
      ),
  },
  { name: 'Open transactions', right: true, named: true, of: (wallet) => wallet.open_transactions },
  {
    name: 'Oldest nonce',
    right: true,
    named: true,
    of: ({ oldest_nonce }) => oldest_nonce ?? <None />,
  },
  {
    name: 'Idle',
    right: true,
    named: true,
    of: (wallet) => (wallet.open_transactions === 0 ? <None /> : duration(wallet.waiting_seconds)),
  },
  { name: 'State', of: (wallet) => <State name={wallet.jammed ? 'jammed' : 'working'} /> },
]

const moved: readonly (readonly [string, (point: Read['series'][number]) => number])[] = [
  ['Paid out', ({ paid_out }) => paid_out],
  ['Fees of calls', ({ earned }) => earned],
  ['Credit funded', ({ credited }) => credited],
]
const total = (values: readonly number[]): string =>
  values.reduce((sum, value) => sum + value, 0).toFixed(6)

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
      {list.length === 0 && read.data?.last_run != null && <p className="m-0">The books agree.</p>}
      <ul className="m-0 list-none space-y-3 p-0">
        {list.map((one) => (
          <Difference key={one.exception_id} one={one} />
        ))}
      </ul>
    </Card>
  )
}

function Difference({ one }: { one: OutputOf<'reconciliation'>['exceptions'][number] }) {
  return (
    <li className="rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <State name={one.code} /> <Id id={one.subject} length={24} />
        <span className="text-sm text-muted">
          seen <Age since={one.first_seen_at} /> ago{!one.seen && ', no longer seen'}
        </span>
      </div>
      <details className="my-2">
        <summary className="cursor-pointer">Both sides as they were seen</summary>
        <Json value={one.evidence} />
      </details>
      <Act
        label="Close"
        title="Close the difference"
        tone="primary"
        act={(reason, idempotency_key) =>
          call('close-exception', {
            mode: 'close_exception',
            exception_id: one.exception_id,
            reason,
            idempotency_key,
          })
        }
      >
        Nothing is repaired: the receipt says who understood it, and why. Other evidence opens it
        again.
      </Act>
    </li>
  )
}
