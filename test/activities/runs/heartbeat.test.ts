import { MockActivityEnvironment } from '@temporalio/testing'
import { expect } from 'vitest'
import { StepProgress } from '#domain/runs/progress.ts'
import { whileAlive } from '../../../activities/runs/heartbeat.ts'
import { verifies } from '../../verifies.ts'

verifies('console.progress', 'a heartbeat has the progress that was reported last', async () => {
  const activity = new MockActivityEnvironment({ heartbeatTimeoutMs: 40 })
  const heard: unknown[] = []
  activity.on('heartbeat', (details: unknown) => heard.push(details))
  const last = { bytes_read: 20, bytes_total: 30 }
  const result = await activity.run(() =>
    whileAlive(async ({ report }) => {
      report({ bytes_read: 10, bytes_total: 30 })
      report(last)
      await expect.poll(() => heard.length).toBeGreaterThan(1)
      return 'done'
    }),
  )
  expect(result).toBe('done')
  expect(StepProgress.parse(heard.at(-1))).toEqual(last)
})
