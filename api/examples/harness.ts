import { type SuiteName, suites } from '#domain/harness/suites.ts'
import { digests } from './ids.ts'
import { receiptOf } from './receipts.ts'

const testRun = 'tr_7ce0e2d06e7a3cbb76a8b0d9a4d7f3f4d7fbb2d5ed0b3c3ed0b9a6f0c4c1a955'
const report = 'rg_3f6c2a1d5e9b48c7a0d4f1b2c3e5968790a1b2c3d4e5f60718293a4b5c6d7e8f'
const ownReport = 'rg_91b7c5d3e1f0a2b4c6d8e0f1a3b5c7d9e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1'
const at = '2026-11-24T09:32:00.000Z'

const none = suites['credential-enforcement-agent-test'][0]
const discovery = suites['agent-to-agent-test-harness'][0]
const descriptor = suites['external-agent-invocation-test'][0]
const handOver = suites['external-agent-agent-test'][0]

const played = {
  ok: true,
  detail: 'as expected',
  status: 200,
  ms: 18,
  request_sha256: digests.request,
  response_sha256: digests.result,
} as const
/** A completed test of one step. */
const completed = {
  test_run_id: testRun,
  rail: 'packetops',
  state: 'completed',
  passed: 1,
  failed: 0,
  pending: [],
  transcript_hash: digests.proof,
  report_id: null,
  usage: 'synthetic',
  code_version: '0.1.0',
  began_at: at,
} as const

/** The same as it is read, with what was sent and answered. */
const readTest = <Step extends { readonly step: string; readonly expected: string }>(
  suite: SuiteName,
  { step, expected }: Step,
  path: string,
) => ({
  ...completed,
  suite,
  steps: [{ step, expected, ...played }],
  transcript: [
    {
      step,
      exchanges: [
        {
          request: { host: 'base', method: 'GET', path, headers: {}, body: null },
          response: { status: 200, body: { omitted: true, chars: 9_120, sha256: digests.result } },
        },
      ],
    },
  ],
})

const persisted = {
  report_id: report,
  test_run_id: testRun,
  origin: 'service',
  verified: true,
  suite: 'agent-to-agent-test-harness',
  passed: 1,
  failed: 0,
  transcript_hash: digests.proof,
  code_version: '0.1.0',
  note: null,
  at,
} as const

/** Tests of one step each, and their reports. */
export const harnessExamples = {
  'agent-harness-read': {
    input: { test_run_id: testRun },
    output: readTest('agent-to-agent-test-harness', discovery, '/agent-tools.json'),
  },
  'agent-harness-run': {
    input: { rail: 'packetops', scenarios: ['discovery'], idempotency_key: 'test-7' },
    output: {
      ...completed,
      suite: 'agent-to-agent-test-harness',
      steps: [{ ...discovery, ...played }],
    },
  },
  'external-invocation-read': {
    input: { test_run_id: testRun },
    output: readTest('external-agent-invocation-test', descriptor, '/.well-known/mcp.json'),
  },
  'external-invocation-run': {
    input: { scenarios: ['descriptor'], idempotency_key: 'test-8' },
    output: {
      ...completed,
      suite: 'external-agent-invocation-test',
      steps: [{ ...descriptor, ...played }],
    },
  },
  'external-agent-read': {
    input: { test_run_id: testRun },
    output: readTest('external-agent-agent-test', handOver, '/api/agent-use'),
  },
  'external-agent-run': {
    input: { scenarios: ['hand over'], idempotency_key: 'test-9' },
    output: {
      ...completed,
      suite: 'external-agent-agent-test',
      steps: [{ ...handOver, ...played }],
    },
  },
  'credential-test-read': {
    input: { test_run_id: testRun },
    output: readTest('credential-enforcement-agent-test', none, '/api/agent-use'),
  },
  'credential-test-run': {
    input: { scenarios: ['none'], idempotency_key: 'test-10' },
    output: {
      ...completed,
      suite: 'credential-enforcement-agent-test',
      steps: [{ ...none, ...played, status: 401 }],
    },
  },
  'regression-read': {
    input: { kind: 'agent-to-agent-test-harness', limit: '1' },
    output: {
      items: [persisted],
      offset: 0,
      limit: 1,
      total: 1,
      trend: {
        reports: 1,
        with_failures: 0,
        steps_passed: 1,
        steps_failed: 0,
        failed_then_now: [0, 0],
      },
    },
  },
  'regression-persist': {
    input: { mode: 'persist_regression_report', test_run_id: testRun },
    output: {
      report: persisted,
      diff: { newly_failing: [], fixed: [] },
      receipt: {
        ...receiptOf('regression', report, {
          usage: 'synthetic',
          report_id: report,
          test_run_id: testRun,
          suite: 'agent-to-agent-test-harness',
          passed: 1,
          failed: 0,
          transcript_hash: digests.proof,
          code_version: '0.1.0',
        }),
        usage: 'synthetic',
      },
    },
  },
  'regression-store': {
    input: {
      mode: 'store_regression_report',
      report: {
        suite: 'checkout of my shop',
        passed: 1,
        failed: 1,
        steps: [
          { step: 'quote', ok: true },
          { step: 'pay', ok: false },
        ],
        transcript_hash: digests.evidence,
        code_version: '2.4.1',
      },
      idempotency_key: 'report-7',
    },
    output: {
      report: {
        report_id: ownReport,
        test_run_id: null,
        origin: 'caller',
        verified: false,
        suite: 'checkout of my shop',
        passed: 1,
        failed: 1,
        transcript_hash: digests.evidence,
        code_version: '2.4.1',
        note: null,
        at,
      },
      diff: { newly_failing: ['pay'], fixed: [] },
    },
  },
} as const
