import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeSecret } from '../../activities/config/secret-file.ts'
import { createClient } from '../../clients/typescript/src/index.ts'
import { errorText } from '../error-text.ts'
import { runDemoPayout } from './demo-payout.ts'
import type { Demo, RunningStack } from './demo-run.ts'
import { runDemoTask } from './demo-task.ts'
import type { EmbeddedStack } from './embedded.ts'
import type { Layout } from './layout.ts'

/** Whether no demo has been shown on this data yet. */
export const isFirstStart = (layout: Layout): boolean => !existsSync(layout.demoSummary)

/** Runs the demo; where it cannot run, says why in one line and answers false. The stack stays up either way. */
export async function tryDemo(stack: EmbeddedStack, say: Demo['say']): Promise<boolean> {
  try {
    await runDemo(stack, say)
    return true
  } catch (error) {
    const [reason] = errorText(error).split('\n')
    say(`demo        stopped: ${reason}`)
    return false
  }
}

/** What the parts of one demo share; their times are kept in `timings_ms`. */
export function openDemo(
  stack: RunningStack,
  say: Demo['say'],
): Demo & { timings_ms: Record<string, number> } {
  const timings_ms: Record<string, number> = {}
  const { BASE_URL: baseUrl = '', OS_URL: osUrl = '', TEMPORAL_UI_URL } = stack.env
  return {
    stack,
    hosts: { baseUrl, osUrl },
    ui: `${TEMPORAL_UI_URL}/namespaces/default/workflows`,
    run: `demo-${Date.now()}`,
    directory: dirname(stack.layout.accounts),
    timed: async (name, work) => {
      const begun = performance.now()
      const result = await work()
      timings_ms[name] = Math.round(performance.now() - begun)
      return result
    },
    say,
    timings_ms,
  }
}

/** A payout and then a task, both through the public API; writes DATA_DIR/demo/summary.json with what proves them. */
async function runDemo(stack: EmbeddedStack, say: Demo['say']): Promise<void> {
  const { timings_ms, ...demo } = openDemo(stack, say)
  const { payout, receipts, transaction, workflow_ids } = await runDemoPayout(demo)
  const jwks = (await createClient(demo.hosts).call('jwks', {})).body
  const task = await demo.timed('task', () => runDemoTask(demo, jwks))
  const summary = { payout, receipts, jwks, transaction, workflow_ids, timings_ms, ...task }
  // It holds the task's token, which reads.
  writeSecret(stack.layout.demoSummary, summary)
  say(`summary     ${stack.layout.demoSummary}`)
}
