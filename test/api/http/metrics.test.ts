import { expect } from 'vitest'
import { createMetrics } from '../../../api/http/metrics.ts'
import { verifies } from '../../verifies.ts'

verifies('operate.gone-gauges', 'a gauge without a reading hides no other', async () => {
  const answers = ['1', 'fails', 'hangs']
  const read = (): Promise<number> => {
    const answer = answers.shift() ?? 'hangs'
    if (answer === 'fails') return Promise.reject(new Error('away'))
    return answer === 'hangs' ? new Promise(() => undefined) : Promise.resolve(Number(answer))
  }
  const metrics = createMetrics({
    agent_rails_gone: { help: 'Sometimes away.', read },
    agent_rails_here: { help: 'Always there.', read: async () => 7 },
  })
  const shown = async () => (await metrics.print()).text.match(/^agent_rails_\w+ \d+$/gm)
  expect(await shown()).toEqual(['agent_rails_gone 1', 'agent_rails_here 7'])
  expect(await shown()).toEqual(['agent_rails_here 7'])
  expect(await shown()).toEqual(['agent_rails_here 7'])
})
