import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { findFree } from '../../../worker/stack/ports.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import {
  authorizedPayouts,
  emptyWallets,
  execute,
  executeToEnd,
  leaveBacklog,
  leaveWork,
  sendUnknownPayment,
  startFailingReceiver,
  whileLocked,
} from '../../support/alert-causes.ts'
import { runCli } from '../../support/cli.ts'
import { asTokenOwner, broadcast, haltMining, insist, takeDown } from '../../support/faults.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { startPrometheus } from '../../support/prometheus.ts'
import { readAlerts } from '../../support/promtool.ts'
import { providerIn } from '../../support/provider.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const noPrometheus = spawnSync('prometheus', ['--version']).status !== 0
if (noPrometheus)
  console.log('fired alerts skipped: there is no prometheus: apt-get install prometheus')

/** A disk cannot be filled here; docs/alerts.test.yml tests its rule with values. */
const firedByValuesAlone = ['DiskLow']

describe.skipIf(noPrometheus)('alerts', () => {
  let stack: TestStack
  let rail: Rail
  let scratch: string
  let receiver: Awaited<ReturnType<typeof startFailingReceiver>>
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>
  const fired = new Set<string>()

  beforeAll(async () => {
    scratch = await scratchDirectory()
    receiver = await startFailingReceiver()
    const [port = 0] = await findFree(1)
    // Without a worker of the runs, their queues have no poller.
    stack = await startStack({
      runWorkers: 0,
      env: {
        ...(await providerIn(scratch)),
        WORKER_METRICS_PORT: String(port),
        CALLBACK_ALLOW_HOSTS: receiver.origin,
        NODE_EXTRA_CA_CERTS: join(
          import.meta.dirname,
          '..',
          '..',
          'support',
          'tls',
          'authority.pem',
        ),
        DATABASE_CONNECTIONS: '6',
        EXECUTE_WAIT_MS: '1000',
        CONFIRM_WINDOW_MS: '1000',
        SWEEP_EVERY_MS: '300',
        SWEEP_GRACE_MS: '200',
        LATE_AFTER_MS: '500',
        RECONCILE_EVERY_MS: '10000',
        GAS_WALLET_JAM_AFTER_MS: '3000',
      },
    })
    rail = await openRail(stack)
    prometheus = await startPrometheus(scratch, {
      api: new URL(stack.baseUrls[0] as string).host,
      worker: `127.0.0.1:${port}`,
    })
  })
  afterAll(async () => {
    await prometheus?.stop()
    await rail?.stop()
    await stack?.stop()
    await receiver?.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  async function fires(...names: string[]): Promise<void> {
    await prometheus.untilFiring(...names)
    for (const name of names) fired.add(name.split(' ')[0] as string)
  }

  /** The doctor ends, and says that something is wrong. */
  async function expectFaults(...names: string[]): Promise<void> {
    const { code, out } = await runCli(stack.env, 'doctor', '--json')
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean }[] }
    const found = checks.filter(({ ok }) => !ok).map(({ name }) => name)
    expect([code, found]).toEqual([1, expect.arrayContaining(names)])
  }

  verifies('operate.alerts-fire', 'queues without workers, and nothing else', async () => {
    await fires('NoPollers runs', 'NoPollers strangers')
    await prometheus.untilOnly('NoPollers runs', 'NoPollers strangers')
  })

  verifies('operate.alerts-fire', 'what waits for a person, and the daily cap', async () => {
    await leaveWork(rail, `${receiver.origin}/hook`)
    await sendUnknownPayment(rail)
    const payouts = await authorizedPayouts(rail, ['25', '25', '25', '16'])
    await Promise.all(payouts.map(executeToEnd))
    await fires('ReviewWaits agent', 'TaskException caller_dispute', 'ProviderEvent')
    await fires('CallbackFails credential_ready', 'DailyCapNearlyUsed')
  })

  verifies('operate.alerts-fire', 'transfers that are not mined, then not final', async () => {
    const payouts = await authorizedPayouts(rail, ['0.1', '0.1', '0.1', '0.1', '0.1', '0.1'])
    const mine = await haltMining(rail)
    try {
      await Promise.all(payouts.map(execute))
      for (const { payout } of payouts) await broadcast(rail, payout.payout_id)
      await fires('TransferOld submitted', 'RowsLate payout', 'LateForLong payout')
      await fires('GasWalletJammed')
      await rail.chain.mine({ blocks: 1 })
      await fires('TransferNotFinal')
    } finally {
      await mine()
    }
    await Promise.all(payouts.map(executeToEnd))
  })

  verifies('operate.alerts-fire', 'more steps than a worker has slots for', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => rail.openAgent()))
    const creating = await whileLocked(rail, 'payouts', async () => {
      const created = agents.map((agent) => rail.create(agent))
      await fires('NoFreeSlots payouts LocalActivityWorker')
      return { created }
    })
    await Promise.all(creating.created)
  })

  verifies('operate.alerts-fire', 'a paused token', async () => {
    const [payout] = await authorizedPayouts(rail, ['0.1'])
    await asTokenOwner(rail, 'pause')
    await execute(payout!)
    await fires('TransferParked')
    await asTokenOwner(rail, 'unpause')
  })

  verifies('operate.alerts-fire', 'a worker behind its work, which fails', async () => {
    await leaveBacklog(rail, 60)
    await fires(
      'WorkflowTasksWait payouts',
      'WorkflowTasksLate payouts',
      'WorkflowTaskFails payouts',
    )
  })

  verifies('operate.alerts-fire', 'wallets that others emptied', async () => {
    await emptyWallets(rail)
    await fires('PayoutWalletLow', 'GasWalletLow', 'Difference unexplained_outgoing')
  })

  verifies('operate.alerts-fire', 'the chain away', async () => {
    await stack.chain.kill('SIGKILL')
    await fires('DependencyDown chain', 'NodeFaulty')
    await expectFaults('chain and token', 'nodes')
  })

  verifies(
    ['operate.alerts-fire', 'operate.gone-gauges'],
    'Postgres stopped: /metrics and doctor answer all the same',
    async () => {
      const bringBack = await takeDown(stack.postgres, 'stopped')
      await fires('DependencyDown postgres', 'GaugesMissing')
      await prometheus.untilValue('up{job="agent-rails-api"}', '1')
      await prometheus.untilValue('up{job="agent-rails-workers"}', '1')
      await expectFaults('postgres and its clock')
      await bringBack()
    },
  )

  verifies('operate.alerts-fire', 'Postgres killed', async () => {
    const bringBack = await takeDown(stack.postgres, 'killed')
    const calls = setInterval(() => {
      fetch(`${stack.baseUrls[0]}/api/log/inclusion?receipt_id=rc_${'0'.repeat(64)}`).catch(
        () => undefined,
      )
    }, 500)
    await fires('DependencyDown disk', 'SweepFails', 'CallsFail').finally(() =>
      clearInterval(calls),
    )
    await bringBack()
  })

  verifies('operate.alerts-fire', 'the worker dead, and with it the log', async () => {
    await stack.worker().kill('SIGKILL')
    const pause = () =>
      operatorOf(stack).call('pause-set', {
        scope: 'payouts',
        paused: true,
        reason: 'a look at the books',
        idempotency_key: 'pause',
      })
    await insist(pause)
    await fires('ProcessDown agent-rails-workers', 'NoWorker', 'LogStopped', 'PauseLasts')
    await fires('ReconciliationStopped')
  })

  verifies('operate.alerts-fire', 'Temporal, the signer and the API dead', async () => {
    await Promise.all([stack.temporal.kill('SIGKILL'), stack.signer.kill('SIGKILL')])
    await fires('DependencyDown temporal', 'DependencyDown signer')
    await expectFaults('temporal namespace', 'signer')
    await stack.api().kill('SIGKILL')
    await fires('ProcessDown agent-rails-api', 'NoApi')
  })

  verifies('operate.alerts-fire', 'each rule has been fired', () => {
    const rules = readAlerts().map(({ alert }) => alert)
    expect([...fired, ...firedByValuesAlone].sort()).toEqual(rules.sort())
  })
})
