import { expect } from 'vitest'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import { DomainError } from '#domain/core/errors.ts'
import { packetops, packetopsInput } from '#domain/rails/packetops/index.ts'
import type { Job } from '../../../../activities/runs/isolation/job.ts'
import { NotBegun } from '../../../../activities/runs/isolation/rail-pool.ts'
import { EvidenceAnalyses } from '../../../../api/services/evidence/analyses.ts'
import { ManifestService } from '../../../../api/services/runs/manifests.ts'
import { verifies } from '../../../verifies.ts'

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof DomainError ? error.refusal.code : String(error)),
  )

verifies(
  'isolation.public-queues',
  'analyses that cost no key do not refuse those of agents',
  async () => {
    const begun: string[] = []
    const queue = (name: string) => ({
      run: (job: Job) => {
        begun.push(`${name}: ${job.kind}`)
        return new Promise<never>(() => undefined)
      },
    })
    const deps = { pool: { queue } } as unknown as ConstructorParameters<typeof EvidenceAnalyses>[0]
    const analyses = new EvidenceAnalyses(deps)
    const asked = {
      input: analysisFixture,
      force_fallback: true,
      address: '192.0.2.1',
      network: null,
      callId: 'c',
    }
    const ask = (agent?: { sandbox: boolean }) =>
      codeOf(analyses.prepare({ ...asked, agent: agent as never }))
    for (let at = 0; at < 16; at += 1) {
      void ask()
      void ask({ sandbox: true })
    }
    expect(await ask()).toBe('rate_limited')
    expect(await ask({ sandbox: true })).toBe('rate_limited')
    void ask({ sandbox: false })
    await expect.poll(() => begun.at(-1)).toBe('analyses of agents: work')
    expect(begun).toHaveLength(33)
  },
)

verifies('isolation.public-queues', 'a manifest is left out where the pool is busy', async () => {
  let run: (job: Job) => Promise<unknown> = () => Promise.reject(new NotBegun('no child began'))
  const pool = { queue: () => ({ run: (job: Job) => run(job) }) }
  const manifests = new ManifestService({ pool } as never)
  const packet = { tier: 'standard' as const, input: { ...packetopsInput } }
  const provisional = (name: string) => manifests.provisional(name, packet, null)
  expect(await provisional('late')).toBe(null)
  const ends: (() => void)[] = []
  const made = packetops.work(packetopsInput)
  run = () => new Promise((resolve) => ends.push(() => resolve(made)))
  const waiting = ['1', '2', '3', '4'].map(provisional)
  expect(await provisional('5')).toBe(null)
  for (const end of ends) end()
  for (const manifest of await Promise.all(waiting))
    expect(manifest).toMatchObject({ state: 'provisional' })
  run = () => Promise.reject(new Error('a fault of ours'))
  expect(await codeOf(provisional('6'))).toBe('Error: a fault of ours')
})
