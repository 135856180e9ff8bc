import { expect } from 'vitest'
import { endpointPaths } from '../../../../api/mcp/protocol.ts'
import type { AnyOperation } from '../../../../api/operation.ts'
import { operations } from '../../../../api/operations/index.ts'
import { documentedPaths } from '../../../support/documented-paths.ts'
import { verifies } from '../../../verifies.ts'
import type { Row } from './row.ts'
import { callRows } from './rows.ts'

const registry: readonly AnyOperation[] = operations
const rows: Readonly<Record<string, Row<never> | undefined>> = callRows
const at = (path: string) =>
  registry.filter(({ http }) => http.path === path || http.aliases?.includes(path))
const served = documentedPaths.flatMap(at)

/** Operations without a row here: their own tests change their answer and read their record. */
const pending: readonly string[] = [
  'agent-harness-read',
  'agent-harness-run',
  'agent-quickstart-run',
  'agent-sandbox-read',
  'agent-sandbox-run',
  'agent-use-read',
  'clearing-read',
  'clearing-run',
  'contract-accept',
  'contract-prepare',
  'contract-read',
  'credential-test-read',
  'credential-test-run',
  'customer-workflow-create',
  'customer-workflow-delete',
  'customer-workflow-pause',
  'customer-workflow-read',
  'customer-workflow-resume',
  'customer-workflow-run',
  'diligence-loop-read',
  'diligence-loop-start',
  'energyops-controlled-pilot-read',
  'energyops-controlled-pilot-run',
  'energyops-runtime-run',
  'energyops-runtime-runs-read',
  'exchange-claim',
  'exchange-deliver',
  'exchange-read',
  'exchange-release',
  'execute-delegated-action',
  'external-agent-read',
  'external-agent-run',
  'external-invocation-read',
  'external-invocation-run',
  'fetch-return-package',
  'financeops-controlled-pilot-read',
  'financeops-controlled-pilot-run',
  'financeops-runtime-run',
  'financeops-runtime-runs-read',
  'first-paid-run-execute',
  'first-paid-run-read',
  'first-pilot-run',
  'get-run-status',
  'loop-start',
  'loops-read',
  'packet-loop-read',
  'packet-loop-start',
  'payout-authorize',
  'payout-challenge',
  'payout-create',
  'payout-execute',
  'payout-status',
  'preflight',
  'production-run-start',
  'production-runs-read',
  'read-agent-use-runs',
  'record-agent-use-receipt',
  'regression-persist',
  'self-serve-loop-read',
  'self-serve-loop-submit',
  'start-agent-run',
  'task-attestation',
  'task-exception-raise',
  'task-exceptions',
  'task-ledger',
  'task-recover',
  'task-replay-package',
  'task-replay-prepare',
  'tokenops-controlled-pilot-read',
  'tokenops-controlled-pilot-run',
  'wallet-run-read',
  'wallet-run-start',
  'work-order-create',
  'work-orders-read',
]

verifies('conform.every-path', 'each operation at a documented path has a row', () => {
  const missing = served.map(({ id }) => id).filter((id) => rows[id] === undefined)
  expect([...new Set(missing)].sort()).toEqual(pending)
  const unserved = documentedPaths.filter((path) => at(path).length === 0)
  expect(unserved).toEqual([...endpointPaths])
})

verifies('conform.every-path', 'each row of a write names where its record is read', () => {
  const unread = served.filter(({ id, idempotency }) => {
    const row = rows[id]
    return row !== undefined && idempotency.kind !== 'read' && row.kept?.in === undefined
  })
  expect(unread.map(({ id }) => id)).toEqual([])
  const itself = served.filter(({ id }) => rows[id]?.kept?.in === id)
  expect(itself.map(({ id }) => id)).toEqual([])
})
