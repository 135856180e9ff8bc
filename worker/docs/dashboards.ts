import { DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

type Panel = {
  readonly title: string
  readonly expr: string
  readonly legend?: string
  /** A unit of Grafana; a plain number without one. */
  readonly unit?: string
}
type Board = { readonly title: string; readonly rows: Readonly<Record<string, readonly Panel[]>> }

const quantile = (histogram: string, by: string) =>
  `histogram_quantile(0.99, sum by (le, ${by}) (rate(${histogram}_bucket[5m])))`

const boards: Readonly<Record<string, Board>> = {
  work: {
    title: 'agent-rails: work and calls',
    rows: {
      'What waits for a person': [
        {
          title: 'Reviews',
          expr: 'max by (kind) (agent_rails_reviews_waiting)',
          legend: '{{kind}}',
        },
        {
          title: 'Oldest review',
          expr: 'max by (kind) (agent_rails_review_oldest_seconds)',
          legend: '{{kind}}',
          unit: 's',
        },
        {
          title: 'Stopped tasks',
          expr: 'max by (code) (agent_rails_task_exceptions)',
          legend: '{{code}}',
        },
        {
          title: 'Parked transfers',
          expr: 'max by (reason) (agent_rails_transfers_parked)',
          legend: '{{reason}}',
        },
        {
          title: 'Failing callbacks',
          expr: 'max by (event) (agent_rails_callbacks_failing)',
          legend: '{{event}}',
        },
        { title: 'Provider events', expr: 'max(agent_rails_provider_events)' },
      ],
      'What is in progress': [
        { title: 'Tasks', expr: 'max by (state) (agent_rails_tasks)', legend: '{{state}}' },
        {
          title: 'Transfers',
          expr: 'max by (status) (agent_rails_transfers)',
          legend: '{{status}}',
        },
      ],
      Calls: [
        {
          title: 'Calls per second',
          expr: 'sum by (operation) (rate(agent_rails_calls_total[5m]))',
          legend: '{{operation}}',
          unit: 'reqps',
        },
        {
          title: 'Failed calls per second',
          expr: 'sum by (operation) (rate(agent_rails_calls_total{status=~"5.."}[5m]))',
          legend: '{{operation}}',
          unit: 'reqps',
        },
        {
          title: '99th percentile of the answer time',
          expr: quantile('agent_rails_call_seconds', 'operation'),
          legend: '{{operation}}',
          unit: 's',
        },
      ],
    },
  },
  money: {
    title: 'agent-rails: money',
    rows: {
      Balances: [
        {
          title: 'Payout wallet, USDC',
          expr: 'max(agent_rails_payout_wallet_atomic) / 1e6',
        },
        {
          title: 'Daily cap in use',
          expr: 'max(agent_rails_daily_cap_used_atomic / agent_rails_daily_cap_atomic)',
          unit: 'percentunit',
        },
        {
          title: 'Transfers that the gas wallets pay for',
          expr: 'max by (gas_wallet) (agent_rails_gas_wallet_transfers_left)',
          legend: '{{gas_wallet}}',
        },
      ],
      'Queues of the gas wallets': [
        {
          title: 'Open nonces',
          expr: 'max by (gas_wallet) (agent_rails_gas_wallet_open_nonces)',
          legend: '{{gas_wallet}}',
        },
        {
          title: 'Time without movement',
          expr: 'max by (gas_wallet) (agent_rails_gas_wallet_idle_seconds)',
          legend: '{{gas_wallet}}',
          unit: 's',
        },
      ],
      Reconciliation: [
        {
          title: 'Open differences',
          expr: 'max by (code) (agent_rails_differences)',
          legend: '{{code}}',
        },
        {
          title: 'Time since the last reconciliation',
          expr: 'max(agent_rails_reconciliation_age_seconds)',
          unit: 's',
        },
        { title: 'Pauses', expr: 'max(agent_rails_pauses)' },
      ],
    },
  },
  processes: {
    title: 'agent-rails: workers and processes',
    rows: {
      Workers: [
        {
          title: 'Pollers',
          expr: 'sum by (task_queue) (temporal_num_pollers)',
          legend: '{{task_queue}}',
        },
        {
          title: 'Free slots',
          expr: 'sum by (task_queue, worker_type) (temporal_worker_task_slots_available)',
          legend: '{{task_queue}} {{worker_type}}',
        },
        {
          title: '99th percentile of the wait of a workflow task',
          expr: quantile('temporal_workflow_task_schedule_to_start_latency_seconds', 'task_queue'),
          legend: '{{task_queue}}',
          unit: 's',
        },
        {
          title: 'Failed workflow tasks per second',
          expr: 'sum by (failure_reason) (rate(temporal_workflow_task_execution_failed_total[5m]))',
          legend: '{{failure_reason}}',
        },
      ],
      Processes: [
        {
          title: 'Processor time of the API',
          expr: 'rate(process_cpu_seconds_total[5m])',
          legend: '{{instance}}',
          unit: 'percentunit',
        },
        {
          title: 'Memory of the API',
          expr: 'process_resident_memory_bytes',
          legend: '{{instance}}',
          unit: 'bytes',
        },
        {
          title: 'Event loop lag',
          expr: 'nodejs_eventloop_lag_p99_seconds',
          legend: '{{instance}}',
          unit: 's',
        },
        {
          title: 'Size of the database',
          expr: 'max(agent_rails_database_bytes)',
          unit: 'bytes',
        },
        {
          title: 'Free disk of a local Postgres',
          expr: 'min(agent_rails_database_disk_free_bytes)',
          unit: 'bytes',
        },
        {
          title: 'Dependencies that are away',
          expr: 'min by (dependency) (agent_rails_dependency_up)',
          legend: '{{dependency}}',
        },
      ],
    },
  },
}

/** The name of the data source that the dashboards read. */
const DATA_SOURCE = { type: 'prometheus', uid: 'prometheus' }

/** The Grafana dashboards as JSON, by the name of their file. */
export function dashboardFiles(): Record<string, string> {
  const files = Object.entries(boards).map(([name, board]) => [
    `${name}.json`,
    `${JSON.stringify(dashboardOf(name, board), null, 2)}\n`,
  ])
  return Object.fromEntries(files)
}

function dashboardOf(name: string, { title, rows }: Board) {
  const builder = new DashboardBuilder(title)
    .uid(`agent-rails-${name}`)
    .tags(['agent-rails'])
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .timezone('utc')
  for (const [row, panels] of Object.entries(rows)) {
    builder.withRow(new RowBuilder(row))
    for (const panel of panels) builder.withPanel(panelOf(panel))
  }
  return builder.build()
}

function panelOf({ title, expr, legend = '', unit = 'short' }: Panel): PanelBuilder {
  const query = new DataqueryBuilder().expr(expr).legendFormat(legend).refId('A')
  return new PanelBuilder()
    .title(title)
    .unit(unit)
    .min(0)
    .span(8)
    .datasource(DATA_SOURCE)
    .withTarget(query)
}
