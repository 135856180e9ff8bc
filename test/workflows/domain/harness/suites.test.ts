import { expect } from 'vitest'
import {
  COUNTERPART_STEP,
  harnessRails,
  type PlannedStep,
  planOf,
  suiteNames,
  suites,
} from '#domain/harness/suites.ts'
import { rails } from '#domain/rails/index.ts'
import { verifies } from '../../../verifies.ts'

const namesOf = (plan: readonly PlannedStep[]) => plan.map(({ step }) => step)

verifies('harness.plan', 'the steps of two agents are those of the document', () => {
  const contents =
    'discovery, MCP tools, payment reference, rail run, return package, receipt, verification packet, transcript hash'
  expect(namesOf(suites['agent-to-agent-test-harness']).join(', ')).toBe(contents)
  expect(namesOf(suites['credential-enforcement-agent-test'])).toHaveLength(10)
  expect([...harnessRails]).toEqual(
    rails.flatMap(({ key, takes }) => (takes.paidAgentUse ? key : [])),
  )
})

verifies('harness.plan', 'a step comes after those that it builds on, and no name twice', () => {
  for (const suite of suiteNames) {
    const steps: readonly PlannedStep[] = suites[suite]
    expect(new Set(namesOf(steps)).size).toBe(steps.length)
    expect(steps.length).toBeLessThanOrEqual(20)
    for (const [at, { needs = [] }] of steps.entries())
      for (const needed of needs) expect(namesOf(steps.slice(0, at))).toContain(needed)
  }
})

verifies('harness.plan', 'what was asked for is played with what it builds on', () => {
  const plan = (scenarios: string[]) =>
    namesOf(planOf('agent-to-agent-test-harness', { scenarios, counterpart: false }))
  expect(plan(['verification packet', 'discovery'])).toEqual([
    'discovery',
    'rail run',
    'return package',
    'verification packet',
  ])
  expect(plan(['receipt'])).toEqual(['rail run', 'receipt'])
})

verifies('harness.plan', 'the counterpart is asked only where one is named', () => {
  const suite = 'external-agent-agent-test'
  const all = namesOf(planOf(suite, { counterpart: true }))
  expect(all).toContain(COUNTERPART_STEP)
  expect(namesOf(planOf(suite, { counterpart: false }))).toEqual(
    all.filter((step) => step !== COUNTERPART_STEP),
  )
  expect(planOf(suite, { scenarios: [COUNTERPART_STEP], counterpart: false })).toEqual([])
})
