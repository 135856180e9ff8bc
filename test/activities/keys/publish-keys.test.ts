import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { keepPublishing } from '../../../activities/keys/publish-keys.ts'
import { verifies } from '../../verifies.ts'

verifies(
  'discovery.jwks',
  'keys are published once, as soon as the database accepts them',
  async () => {
    let attempts = 0
    const warned: unknown[] = []
    const publish = async () => {
      attempts += 1
      if (attempts < 3) throw new Error('down')
    }
    const publishing = await keepPublishing(publish, {
      everyMs: 5,
      warn: (error) => warned.push(error),
      refuse: (error) => warned.push(error),
    })
    while (attempts < 3) await sleep(5)
    await sleep(30)
    publishing.stop()
    expect([attempts, warned.length]).toEqual([3, 2])
  },
)
